import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import mqtt, { type MqttClient } from 'mqtt';
import type { RunningServer } from './server.ts';

const METHOD = 'SCRAM-SHA-256';
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * A real client that authenticates in steps, as RFC 5802 says, by another hand than the broker's. Rejects with what the
 * broker answered, or when the broker could not prove that it knows the password.
 */
export function connectWithScram(
  server: Pick<RunningServer, 'ports'>,
  clientId: string,
  username: string,
  password: string,
): Promise<MqttClient> {
  const nonce = randomBytes(12).toString('base64');
  const first = `n=${username},r=${nonce}`;
  let proof = '';
  const client = mqtt.connect(`mqtt://127.0.0.1:${server.ports.tcp}`, {
    clientId,
    protocolVersion: 5,
    reconnectPeriod: 0,
    properties: { authenticationMethod: METHOD, authenticationData: Buffer.from(`n,,${first}`) },
  });
  client.handleAuth = ({ properties }, reply) => {
    const challenge = String(properties?.authenticationData);
    const [, whole = '', salt = '', rounds = ''] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(challenge) ?? [];
    const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(rounds), 32, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const storedKey = createHash('sha256').update(clientKey).digest();
    const last = `c=biws,r=${whole}`;
    const spoken = `${first},${challenge},${last}`;
    const signature = hmac(storedKey, spoken);
    const shown = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!)).toString('base64');
    proof = hmac(hmac(salted, 'Server Key'), spoken).toString('base64');
    const authenticationData = Buffer.from(`${last},p=${shown}`);
    reply(undefined, {
      cmd: 'auth',
      reasonCode: 0x18,
      properties: { authenticationMethod: METHOD, authenticationData },
    });
  };
  return new Promise((resolve, reject) => {
    client.once('connect', ({ properties }) => {
      if (String(properties?.authenticationData) === `v=${proof}`) resolve(client);
      else client.end(true, () => reject(new Error('the broker does not know the password')));
    });
    client.once('error', (error) => client.end(true, () => reject(error)));
  });
}
