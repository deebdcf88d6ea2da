/** Data that the default queries find: a table or document to copy and fill. */
export const EXAMPLES = {
  mysql: `CREATE TABLE mqtt_acl (
  id         INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  username   VARCHAR(255) NOT NULL,
  permission ENUM('allow', 'deny') NOT NULL,
  action     ENUM('publish', 'subscribe', 'all') NOT NULL,
  topic      VARCHAR(512) NOT NULL,
  INDEX (username)
);

INSERT INTO mqtt_acl (username, permission, action, topic)
VALUES ('sensor-1', 'allow', 'publish', 'sensors/\${clientid}/#');`,
  postgresql: `CREATE TYPE acl_permission AS ENUM ('allow', 'deny');
CREATE TYPE acl_action AS ENUM ('publish', 'subscribe', 'all');
CREATE TABLE mqtt_acl (
  id         SERIAL PRIMARY KEY,
  username   TEXT NOT NULL,
  permission acl_permission NOT NULL,
  action     acl_action NOT NULL,
  topic      TEXT NOT NULL
);
CREATE INDEX ON mqtt_acl (username);

INSERT INTO mqtt_acl (username, permission, action, topic)
VALUES ('sensor-1', 'allow', 'publish', 'sensors/\${clientid}/#');`,
  mongodb: `db.mqtt_acl.insertOne({
  username: "sensor-1",
  permission: "allow",
  action: "publish",
  topics: ["sensors/\${clientid}/#"]
})`,
  redis: `HSET mqtt_acl:sensor-1 'sensors/\${clientid}/#' publish
HSET mqtt_acl:sensor-1 'commands/#' subscribe`,
} as const;
