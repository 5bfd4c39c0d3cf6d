import { describe, expect, test } from "vitest";
import { judgeAddress } from "../../src/capabilities/net/address-policy.ts";
import { parseAllowList } from "../../src/capabilities/net/allow-list.ts";
import { parseHost, parsePageTarget } from "../../src/capabilities/net/target.ts";

const NOTHING = parseAllowList([]).list;
const EVERYTHING = parseAllowList(["0.0.0.0/0", "::/0"]).list;

describe("addresses that are not public are refused", () => {
  test.each([
    ["127.0.0.1", "this machine itself"],
    ["127.255.255.254", "this machine itself"],
    ["0.0.0.0", "no particular address"],
    ["0.1.2.3", "no particular address"],
    ["10.0.0.1", "in a private network"],
    ["10.255.255.255", "in a private network"],
    ["172.16.0.1", "in a private network"],
    ["172.31.255.255", "in a private network"],
    ["192.168.1.1", "in a private network"],
    ["100.64.0.1", "behind a provider's NAT"],
    ["100.127.255.255", "behind a provider's NAT"],
    ["169.254.1.1", "a link-local address"],
    ["192.0.0.8", "reserved for special use"],
    ["192.0.2.1", "reserved for special use"],
    ["192.88.99.1", "reserved for special use"],
    ["198.18.0.1", "reserved for special use"],
    ["198.19.255.255", "reserved for special use"],
    ["198.51.100.7", "reserved for special use"],
    ["203.0.113.9", "reserved for special use"],
    ["224.0.0.1", "a multicast address"],
    ["239.255.255.250", "a multicast address"],
    ["240.0.0.1", "reserved for special use"],
    ["255.255.255.255", "the broadcast address"],
    ["::", "no particular address"],
    ["::1", "this machine itself"],
    ["::7f00:1", "reserved for special use"],
    ["::ffff:127.0.0.1", "this machine itself"],
    ["::ffff:10.0.0.1", "in a private network"],
    ["::ffff:0:127.0.0.1", "reserved for special use"],
    ["64:ff9b::8.8.8.8", "reserved for special use"],
    ["64:ff9b::10.0.0.1", "reserved for special use"],
    ["64:ff9b:1::1", "reserved for special use"],
    ["100::1", "reserved for special use"],
    ["2001::1", "reserved for special use"],
    ["2001:2::1", "reserved for special use"],
    ["2001:db8::1", "reserved for special use"],
    ["2002:7f00:1::1", "reserved for special use"],
    ["2002:808:808::1", "reserved for special use"],
    ["3fff::1", "reserved for special use"],
    ["4000::1", "reserved for special use"],
    ["5f00::1", "reserved for special use"],
    ["fc00::1", "in a private network"],
    ["fdff::1", "in a private network"],
    ["fe80::1", "a link-local address"],
    ["fec0::1", "reserved for special use"],
    ["ff02::1", "a multicast address"],
  ])("%s is %s", (address, because) => {
    expect(judgeAddress(address, "example.com", NOTHING)).toMatchObject({
      isAllowed: false,
      because,
      canBeAllowed: true,
    });
  });
});

describe("public addresses are allowed", () => {
  test.each([
    ["1.1.1.1", "1.1.1.1", 4],
    ["9.255.255.255", "9.255.255.255", 4],
    ["11.0.0.0", "11.0.0.0", 4],
    ["100.63.255.255", "100.63.255.255", 4],
    ["100.128.0.0", "100.128.0.0", 4],
    ["172.15.255.255", "172.15.255.255", 4],
    ["172.32.0.0", "172.32.0.0", 4],
    ["192.167.255.255", "192.167.255.255", 4],
    ["223.255.255.254", "223.255.255.254", 4],
    ["::ffff:8.8.8.8", "8.8.8.8", 4],
    ["2606:4700::1111", "2606:4700::1111", 6],
    ["2a00:1450:4001:80b::200e", "2a00:1450:4001:80b::200e", 6],
  ] as const)("%s", (text, address, family) => {
    expect(judgeAddress(text, "example.com", NOTHING)).toEqual({ isAllowed: true, address, family });
  });
});

describe("metadata addresses of clouds are refused, whatever range or name is allowed", () => {
  test.each([
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "::ffff:0:169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:5601:5601",
  ])("%s", (address) => {
    const byName = parseAllowList(["example.com"]).list;
    for (const allow of [EVERYTHING, byName]) {
      expect(judgeAddress(address, "example.com", allow)).toMatchObject({
        isAllowed: false,
        canBeAllowed: false,
      });
    }
  });
});

describe("the host is judged as the URL parser reads it", () => {
  test.each([
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://017700000001/", "127.0.0.1"],
    ["http://①②⑦.0.0.1/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://0/", "0.0.0.0"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://１２７。０。０。１/", "127.0.0.1"],
    ["http://0xa9fea9fe/", "169.254.169.254"],
    ["http://[::ffff:7f00:1]/", "::ffff:7f00:1"],
    ["http://[::1]:8080/", "::1"],
    ["http://user@127.0.0.1/", "127.0.0.1"],
    ["http://example.com@127.0.0.1/", "127.0.0.1"],
    ["http://EXAMPLE.com/", "example.com"],
    ["http:\\\\127.0.0.1\\x", "127.0.0.1"],
  ])("%s is %s", (text, name) => {
    expect(parsePageTarget(text)).toMatchObject({ host: { name } });
  });

  test.each([
    ["0x7f.1", "127.0.0.1"],
    ["①②⑦.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
    ["[::1]", "::1"],
    ["Example.COM", "example.com"],
  ])("also where no URL is given: %s is %s", (text, name) => {
    expect(parseHost(text)).toMatchObject({ name });
  });

  test.each(["", "a b", "example.com:80", "user@example.com", "example.com/x", "fe80::1%eth0", "http://x"])(
    "%j is not a host",
    (text) => {
      expect(parseHost(text)).toMatchObject({ phase: "policy", fault: "prober" });
    },
  );

  test("an international name goes out in ASCII and is shown in both spellings", () => {
    expect(parsePageTarget("https://bücher.example/ä?q=1#x")).toMatchObject({
      host: { name: "xn--bcher-kva.example", shown: "bücher.example (xn--bcher-kva.example)" },
      shown: "https://bücher.example/%C3%A4?q=1",
      port: 443,
    });
  });

  test.each(["ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "nonsense", "http://"])(
    "%s cannot be checked",
    (text) => {
      expect(parsePageTarget(text)).toMatchObject({ phase: "policy", fault: "prober" });
    },
  );
});

describe("NET_ALLOW", () => {
  test("takes host names, addresses and ranges, in any usual spelling", () => {
    const { list, failures } = parseAllowList([
      " Intranet.Example. ",
      "bücher.example",
      "127.0.0.1",
      "[::1]",
      "10.0.0.0/8",
      "fd00::/8",
      "",
    ]);
    expect(failures).toEqual([]);
    const isAllowed = (address: string, host = "x.example"): boolean =>
      judgeAddress(address, host, list).isAllowed;
    expect(isAllowed("192.168.7.7", "intranet.example")).toBe(true);
    expect(isAllowed("192.168.7.7", "intranet.example.")).toBe(true);
    expect(isAllowed("192.168.7.7", "xn--bcher-kva.example")).toBe(true);
    expect(isAllowed("192.168.7.7", "sub.intranet.example")).toBe(false);
    expect(isAllowed("127.0.0.1")).toBe(true);
    expect(isAllowed("::ffff:127.0.0.1")).toBe(true);
    expect(isAllowed("127.0.0.2")).toBe(false);
    expect(isAllowed("::1")).toBe(true);
    expect(isAllowed("10.9.8.7")).toBe(true);
    expect(isAllowed("fd12::1")).toBe(true);
    expect(isAllowed("fc00::1")).toBe(false);
  });

  test.each([
    ["10.0.0.0/33", 'NET_ALLOW: "10.0.0.0/33" is not a range: write it as 10.0.0.0/8 or fd00::/8.'],
    ["10.0/8", 'NET_ALLOW: "10.0/8" is not a range: write it as 10.0.0.0/8 or fd00::/8.'],
    ["010.0.0.1", 'NET_ALLOW: "010.0.0.1" is an address in an unusual spelling: write it as 8.0.0.1.'],
    ["127.1", 'NET_ALLOW: "127.1" is an address in an unusual spelling: write it as 127.0.0.1.'],
    ["http://intranet", 'NET_ALLOW: "http://intranet" is a URL: give the host alone.'],
    ["intranet:8080", 'NET_ALLOW: "intranet:8080" has a port: give the host alone.'],
    ["*.example.com", 'NET_ALLOW: "*.example.com" has a wildcard: name each host, or give a range.'],
    ["fe80::1%eth0", 'NET_ALLOW: "fe80::1%eth0" has a zone: leave out what follows the %.'],
    ["::ffff:10.0.0.0/104", 'NET_ALLOW: "::ffff:10.0.0.0/104" is IPv4 in IPv6: write it as an IPv4 range.'],
    ["a b", 'NET_ALLOW: "a b" is not a host name, an address or a range.'],
    [
      "169.254.169.254",
      'NET_ALLOW: "169.254.169.254" is where clouds keep machine credentials, which no check ever reaches: remove it.',
    ],
  ])("refuses %s and says how to mend it", (entry, text) => {
    expect(parseAllowList(["127.0.0.1", entry]).failures).toEqual([
      { failure: "E_CONFIG", text, retryable: false },
    ]);
  });
});
