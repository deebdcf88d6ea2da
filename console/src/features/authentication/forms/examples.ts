/** Data that the default queries find: a table or document to copy and fill. */
export const EXAMPLES = {
  mysql: `CREATE TABLE mqtt_user (
  id            INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  username      VARCHAR(255) NOT NULL UNIQUE,
  password_hash VARCHAR(255) NOT NULL,
  salt          VARCHAR(64)  NOT NULL DEFAULT '',
  is_superuser  BOOLEAN      NOT NULL DEFAULT FALSE
);

INSERT INTO mqtt_user (username, password_hash, salt)
VALUES ('sensor-1', SHA2(CONCAT('secret', 'some-salt'), 256), 'some-salt');`,
  postgresql: `CREATE TABLE mqtt_user (
  id            SERIAL PRIMARY KEY,
  username      TEXT    NOT NULL UNIQUE,
  password_hash TEXT    NOT NULL,
  salt          TEXT    NOT NULL DEFAULT '',
  is_superuser  BOOLEAN NOT NULL DEFAULT FALSE
);

INSERT INTO mqtt_user (username, password_hash, salt)
VALUES ('sensor-1', encode(sha256('secret' || 'some-salt'), 'hex'), 'some-salt');`,
  mongodb: `db.users.insertOne({
  username: "sensor-1",
  password_hash: "<hex of sha256(password + salt)>",
  salt: "some-salt",
  is_superuser: false
})`,
  redis: `HSET mqtt_user:sensor-1 password_hash <hex of sha256(password + salt)> salt some-salt is_superuser 0`,
} as const;
