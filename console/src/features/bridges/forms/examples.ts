/** Tables that the standard statements write to. */
export const MYSQL_TABLE = `CREATE TABLE t_mqtt_msg (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  msgid   VARCHAR(64)  NOT NULL,
  topic   VARCHAR(255) NOT NULL,
  qos     TINYINT      NOT NULL,
  payload BLOB,
  arrived DATETIME(3)  NOT NULL
);`;

export const PGSQL_TABLE = `CREATE TABLE t_mqtt_msg (
  id      BIGSERIAL PRIMARY KEY,
  msgid   VARCHAR(64)  NOT NULL,
  topic   VARCHAR(255) NOT NULL,
  qos     SMALLINT     NOT NULL,
  payload TEXT,
  arrived TIMESTAMP    NOT NULL
);`;
