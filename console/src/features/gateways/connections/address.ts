/** `10.0.4.17:50122`, `[2001:db8::1]:50122`. */
export function addressText({ ip_address, port }: { ip_address: string; port: number }): string {
  return `${ip_address.includes(':') ? `[${ip_address}]` : ip_address}:${port}`;
}
