import { httpUrl } from '@mqdeck/contract/kit/servers';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { Placeholders } from '../../../form/backends/Help.tsx';
import { NumberField, Secret, Text, TextArea, Toggle } from '../../../form/fields.tsx';
import { Advanced, Group } from '../../../form/Group.tsx';
import { Headers } from '../../../form/Headers.tsx';
import { KeyValue } from '../../../form/KeyValue.tsx';
import { Select } from '../../../form/Select.tsx';
import { Tls } from '../../../form/Tls.tsx';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from '../form-words.ts';

const SOURCES = { false: words.fixedKey, true: words.jwks };
const ALGORITHMS = { 'hmac-based': words.hmac, 'public-key': words.publicKey };
const PLACES = { password: words.asPassword, username: words.asUsername };
const CLAIM_PLACEHOLDERS = ['username', 'clientid'];

export function JwtFields() {
  const w = useWords(words);
  const [jwks, algorithm]: unknown[] = useWatch({ name: ['use_jwks', 'algorithm'] });
  return (
    <>
      <Group title={w.keys}>
        <Select
          name="use_jwks"
          label={w.useJwks}
          options={[false, true]}
          labels={SOURCES}
          standard={false}
          required
        />
        {jwks === true ? (
          <JwksFields />
        ) : (
          <>
            <Select
              name="algorithm"
              label={w.algorithm}
              options={Object.keys(ALGORITHMS)}
              labels={ALGORITHMS}
              standard="hmac-based"
              required
            />
            {algorithm === 'public-key' ? (
              <TextArea
                name="public_key"
                label={w.publicKey}
                hint={w.publicKeyHint}
                placeholder="-----BEGIN PUBLIC KEY-----"
                rows={6}
                required
                mono
              />
            ) : (
              <>
                <Secret name="secret" label={w.secret} required />
                <Toggle name="secret_base64_encoded" label={w.base64} />
              </>
            )}
          </>
        )}
      </Group>
      <Group title={w.token}>
        <Select name="from" label={w.from} options={Object.keys(PLACES)} labels={PLACES} required />
        <KeyValue
          name="verify_claims"
          label={w.verifyClaims}
          hint={w.verifyClaimsHint}
          keyLabel={w.claim}
          valueLabel={w.expected}
        />
        <Placeholders names={CLAIM_PLACEHOLDERS} />
        <Text name="acl_claim_name" label={w.aclClaim} hint={w.aclClaimHint} mono />
        <Toggle name="disconnect_after_expire" label={w.disconnect} />
      </Group>
    </>
  );
}

function JwksFields() {
  const w = useWords(words);
  return (
    <>
      <Text
        name="endpoint"
        label={w.endpoint}
        placeholder="https://login.example.com/.well-known/jwks.json"
        check={(value) => (value === '' || z.safeParse(httpUrl, value).success ? null : w.endpointFault)}
        required
        mono
      />
      <NumberField
        name="refresh_interval"
        label={w.refreshInterval}
        unit={w.seconds}
        standard={300}
        min={1}
        integer
      />
      <Tls name="ssl" />
      <Advanced>
        <Headers name="headers" label={w.headers} />
        <NumberField name="pool_size" label={w.poolSize} standard={8} min={1} integer />
      </Advanced>
    </>
  );
}
