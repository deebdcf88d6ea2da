import type { GatewayListenerConfig } from '@mqdeck/contract/gateways';
import { ListenerSslOptions } from '@mqdeck/contract/listeners';
import { type DtlsPolicy, termsOf } from '../core/dtls/policy.ts';
import { CertificateError, type Certificates } from '../core/listeners/certificates.ts';
import { readMaterial } from './tls-material.ts';

type DtlsOptions = Extract<GatewayListenerConfig, { type: 'dtls' }>['dtls_options'];

/** What a listener of DTLS needs to start. */
export interface DtlsMaterial {
  certificates: Certificates;
  dtls: DtlsPolicy;
  /** Whether the certificates are this listener's alone, and end with it. */
  ours: boolean;
}

/** Reads it, and tries it out. Throws CertificateError with a sentence when no DTLS can be made of it. */
export async function readDtlsMaterial(
  given: DtlsOptions,
  sources: Parameters<typeof readMaterial>[1],
): Promise<DtlsMaterial> {
  if (!given.versions.includes('dtlsv1.2'))
    throw new CertificateError('DTLS 1.0 is not spoken any more: versions must name dtlsv1.2.');
  if (given.enable_crl_check)
    throw new CertificateError('Revocation is not checked with DTLS: enable_crl_check must be off.');
  const { certfile, keyfile, password, cacertfile, verify, fail_if_no_peer_cert, depth } = given;
  const { ciphers, honor_cipher_order, handshake_timeout } = given;
  const options = ListenerSslOptions.parse({
    ...{ certfile, keyfile, cacertfile, verify, fail_if_no_peer_cert, depth },
    ...{ honor_cipher_order, handshake_timeout },
    ...(password !== undefined && { password }),
  });
  const { certificates, policy, ours } = await readMaterial(options, sources);
  const dtls = { ...policy, ciphers };
  try {
    termsOf(certificates.current, dtls);
  } catch (cause) {
    if (ours) certificates.close();
    throw new CertificateError((cause as Error).message, { cause });
  }
  return { certificates, dtls, ours };
}
