import { describe, expect, test } from "vitest";
import { show } from "#sdk";

describe("show", () => {
  test.each([
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [9.94, "9.9 ms"],
    [9.96, "10 ms"],
    [46.4, "46 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1234, "1.2 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min"],
    [3_599_999, "59 min"],
    [3_600_000, "1 h"],
    [19_200_000, "5 h 20 min"],
    [86_400_000, "1 d"],
    [93_600_000, "1 d 2 h"],
  ])("a duration of %d ms as %s", (ms, text) => expect(show.duration(ms)).toBe(text));

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [268_435_456, "256 MiB"],
    [1_181_116_006, "1.1 GiB"],
  ])("%d bytes as %s", (bytes, text) => expect(show.bytes(bytes)).toBe(text));

  test.each([
    ["UTC", "Tue 30 Jun 2026, 22:30:05 UTC"],
    ["Europe/Berlin", "Wed 1 Jul 2026, 00:30:05 Europe/Berlin"],
    ["America/Los_Angeles", "Tue 30 Jun 2026, 15:30:05 America/Los_Angeles"],
  ])("a moment in %s as %s", (zone, text) => {
    expect(show.moment("2026-06-30T22:30:05.678Z", zone)).toBe(text);
    expect(show.moment(Date.UTC(2026, 5, 30, 22, 30, 5), zone)).toBe(text);
  });

  test("when a check was made and how long it took, in one line", () => {
    const at = new Date("2026-09-01T00:00:00Z");
    expect(show.footer({ at, tookMs: 46, zone: "UTC" })).toBe("Tue 1 Sep 2026, 00:00:00 UTC, took 46 ms");
  });

  test("a verdict by its sign", () => {
    expect((["ok", "fail", "inconclusive"] as const).map(show.verdict)).toEqual(["✅", "❌", "❔"]);
  });
});
