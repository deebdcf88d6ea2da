import { expect, test } from 'vitest';
import { daysUntil, readCertificate } from './certificate.ts';

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBPTCB5AIBATAKBggqhkjOPQQDAjArMRkwFwYDVQQDDBBtcXR0LmV4YW1wbGUu
Y29tMQ4wDAYDVQQKDAVGbGVldDAeFw0yNjAxMDEwMDAwMDBaFw0yNjA0MDExMjAw
MDBaMCsxGTAXBgNVBAMMEG1xdHQuZXhhbXBsZS5jb20xDjAMBgNVBAoMBUZsZWV0
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExVJ+3bP+iOEjnWqkDUdeT6oOIDE9
WKeFEVzxQJpOAoQNoVTIcuNIM1+Tm0MXHYcnqhPNsa2I9lkW95qkgu0EAjAKBggq
hkjOPQQDAgNIADBFAiEAwlgKeEjOsDS6dH8NIXaYIG74/+58JnhOF1Wc84SWawQC
IAVSOjjiSzTiETOzfjETscbFcfFTEuonhn4Sjsc7CC4h
-----END CERTIFICATE-----`;

/** A name in Chinese, and an end beyond 2049, which is written with four digits of the year. */
const LONG_LIVED = `-----BEGIN CERTIFICATE-----
MIIBLDCB0gIBAjAKBggqhkjOPQQDAjAhMQ8wDQYDVQQDDAbnm5HlkKwxDjAMBgNV
BAoMBUZsZWV0MCAXDTI2MDEwMTAwMDAwMFoYDzIwNTYwNDAxMTIwMDAwWjAhMQ8w
DQYDVQQDDAbnm5HlkKwxDjAMBgNVBAoMBUZsZWV0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAExVJ+3bP+iOEjnWqkDUdeT6oOIDE9WKeFEVzxQJpOAoQNoVTIcuNI
M1+Tm0MXHYcnqhPNsa2I9lkW95qkgu0EAjAKBggqhkjOPQQDAgNJADBGAiEAjhTm
w1Xvq3fLi+HT4YOxkM0LkXVT6GwzGQK+OseZ3YYCIQDl09jV1BXi/PGE3U4m008u
Z+Ndkdehgex2FqMKKZSZ7g==
-----END CERTIFICATE-----`;

test('whom a certificate names and how long it is valid are read in the browser', () => {
  expect(readCertificate(CERTIFICATE)).toEqual({
    subject: 'mqtt.example.com',
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2026-04-01T12:00:00Z'),
  });
  expect(readCertificate(LONG_LIVED)).toMatchObject({
    subject: '监听',
    notAfter: new Date('2056-04-01T12:00:00Z'),
  });
});

test('of a chain the first counts, which is the one that clients see', () => {
  expect(readCertificate(`${LONG_LIVED}\n${CERTIFICATE}\n`)?.subject).toBe('监听');
  expect(readCertificate(`Bag Attributes\n${CERTIFICATE.replaceAll('\n', '\r\n')}`)?.subject).toBe(
    'mqtt.example.com',
  );
});

test('what is no certificate is told from one, however it is cut', () => {
  expect(readCertificate('')).toBeNull();
  expect(readCertificate('/etc/mqdeck/cert.pem')).toBeNull();
  expect(readCertificate(CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY'))).toBeNull();
  expect(readCertificate('-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----')).toBeNull();
  const lines = CERTIFICATE.split('\n');
  for (let kept = 2; kept < 6; kept += 1)
    expect(readCertificate([...lines.slice(0, kept), lines.at(-1)].join('\n'))).toBeNull();
});

test('days are whole, and negative after the end', () => {
  const now = Date.parse('2026-04-01T12:00:00Z');
  expect(daysUntil('2026-04-02T11:59:59Z', now)).toBe(0);
  expect(daysUntil('2026-05-01T12:00:00Z', now)).toBe(30);
  expect(daysUntil('2026-04-01T11:59:59Z', now)).toBe(-1);
});
