import ipaddr from "ipaddr.js";

/** Where clouds answer with a machine's own credentials. One of them (168.63.129.16) is in public space. */
const METADATA = new Set([
  "169.254.169.254", // AWS, Azure, Google, OpenStack, DigitalOcean, Oracle and others
  "169.254.170.2", // AWS containers
  "169.254.170.23", // AWS pods
  "169.254.0.23", // Tencent
  "100.100.100.200", // Alibaba
  "168.63.129.16", // Azure's host
  "192.0.0.192", // Oracle classic
  "fd00:ec2::254", // AWS over IPv6
  "fd00:ec2::23", // AWS pods over IPv6
  "fd20:ce::254", // Google over IPv6
]);

/** Whether an address is a cloud's metadata service, also inside an IPv6 address that carries it. */
export function isMetadataAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (METADATA.has(address.toString())) return true;
  return "parts" in address && carriedIPv4(address).some((inner) => METADATA.has(inner));
}

/** The IPv4 addresses that an IPv6 address may be translated to on its way. */
function carriedIPv4({ parts }: ipaddr.IPv6): string[] {
  const [first = 0, second = 0, third = 0, , , , seventh = 0, last = 0] = parts;
  if (first === 0x2002) return [dotted(second, third)]; // 6to4
  if (first === 0x2001 && second === 0) return [dotted(seventh ^ 0xffff, last ^ 0xffff)]; // Teredo
  // Outside of the global range (NAT64, compatible, translated, link-local) the last 32 bits are the IPv4 address.
  return first >> 13 === 1 ? [] : [dotted(seventh, last)];
}

function dotted(high: number, low: number): string {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]).toString();
}
