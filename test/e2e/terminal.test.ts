import { describe, expect, test } from "vitest";
import { openSite, PROGRAM, settingsFor } from "../support/program.ts";
import { KEY, openTerminal, screenOf, type Terminal } from "../support/terminal.ts";
import { createDataFolder } from "../support/wire-process.ts";

const SPINNER = "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]";

function openDesk(dataDir: string, command = `'${process.execPath}' '${PROGRAM}' start`): Terminal {
  return openTerminal(command, { ...settingsFor({ dataDir }), NO_COLOR: "1" });
}

/** Types a line, and waits for what it is answered and for the prompt below. */
function say(terminal: Terminal, line: string, answer: RegExp): Promise<string> {
  terminal.press(line, KEY.enter);
  return terminal.until(new RegExp(`${answer.source}[^]*?\\n(?:\\u001b\\[\\d*[A-Z])*> `));
}

const greeted = (terminal: Terminal): Promise<string> => terminal.until(/Ctrl-D leaves\.[^>]*> /);

// Alone, since it measures.
test("npm start shows the tree, three things to try and a prompt, and leaves by Ctrl-D", async () => {
  using folder = createDataFolder();
  const begun = performance.now();
  await using terminal = openDesk(folder.dir, "npm start --silent");
  await greeted(terminal);
  const tookMs = Math.round(performance.now() - begun);
  process.stdout.write(`${JSON.stringify({ promptAfterMs: tookMs })}\n`);
  // Far more than a calm machine takes: the figure is printed, and a hang is what this finds.
  expect(tookMs).toBeLessThan(20_000);
  terminal.press(KEY.ctrlD);
  expect(await terminal.exited).toBe(0);
  expect(screenOf(terminal.raw())).toEqual([
    "",
    "root",
    "├─ office",
    "│  └─ reminders  /remind  /reminders  /remind_done  /remind_cancel  /remind_snoo",
    "ze",
    "├─ ops  /overview  /watch_add  /watches  /watch_pause  /watch_resume  /watch_rm",
    " /watch_run",
    "│  ├─ machine  /host",
    "│  └─ web  /http  /pages  /port",
    "└─ warroom  /alerts  /incident  /ack  /silence  /unsilence  /incident_press",
    "",
    "Try one of these:",
    "• remind me tomorrow at 9 to call Ann",
    "• how is everything?",
    "• what is firing?",
    "/help lists all that I can do, Ctrl-D leaves.",
    ">",
    "",
  ]);
});

test.concurrent("what is typed is completed, answered below, and remembered at the next start", async () => {
  using folder = createDataFolder();
  await using site = await openSite();
  {
    await using terminal = openDesk(folder.dir);
    await greeted(terminal);
    terminal.press("/ht", KEY.tab);
    await terminal.until(/\/http/);
    await say(terminal, ` ${site.url}`, /took [\d.]+ m?s/);
    terminal.press("/c", KEY.tab);
    await terminal.until(/\/cancel/);
    await say(terminal, "", /nothing of yours in work/);
    terminal.press(KEY.ctrlD);
    await terminal.exited;
    const [first, second, third, fourth, ...rest] = screenOf(terminal.raw()).slice(16);
    expect(first).toBe(`> /http ${site.url}`);
    expect(second).toMatch(new RegExp(`^✅ ${site.url} answers 200 in`));
    expect(third).toContain("first byte");
    expect(fourth).toBe("address 127.0.0.1");
    expect(rest.slice(1)).toEqual([
      "> /cancel",
      "There is nothing of yours in work. Ask me something, or see /help.",
      ">",
      "",
    ]);
  }
  await using again = openDesk(folder.dir);
  await greeted(again);
  again.press(KEY.up, KEY.up);
  await again.until(new RegExp(`> /http ${site.url}`));
  await say(again, "/two", /\/two answers 200/);
  expect(site.asked).toEqual(["/", "/two"]);
});

test.concurrent("the commands of the chat itself", async () => {
  using folder = createDataFolder();
  await using terminal = openDesk(folder.dir);
  await greeted(terminal);
  await say(terminal, "/tree", /● \/overview/);
  await say(terminal, "/last", /● \/overview/);
  await say(terminal, "/help port", /Say for example/);
  await say(terminal, "/help", /Plain words do as well/);
  await say(terminal, "hello", /\/tree shows who does it/);
  await say(terminal, "/hlep", /Did you mean \/help/);
  terminal.press(KEY.ctrlD);
  expect(await terminal.exited).toBe(0);
  const screen = screenOf(terminal.raw()).slice(16).join("\n");
  const tree = [
    "root",
    "├─ office ● /remind /reminders /remind_done /remind_cancel /remind_snooze",
    "├─ ops ● /overview /watch_add /watches /watch_pause /watch_resume /watch_rm",
    "/watch_run /host /http /pages /port",
    "└─ warroom ● /alerts /incident /ack /silence /unsilence /incident_press",
    "",
  ].join("\n");
  expect(screen).toMatch(new RegExp(`^> /tree\n${tree}> /last\n${tree}> /help port\n`));
  expect(screen).toContain(
    [
      "/port Check whether a TCP port of a host is open",
      "",
      "It takes",
      "• host: the host's name or address (a host name or an IP address)",
      "• ports: the port, or up to ten (",
    ].join("\n"),
  );
  expect(screen).toContain(
    [
      "",
      "ops",
      "/overview How everything is: the machine and the web pages at once",
      "    how is everything?",
      "/watch_add Watch something, and tell the war room when it breaks",
      "    watch https://example.com every minute and tell us here",
    ].join("\n"),
  );
  expect(screen).toContain(
    [
      "> hello",
      "Hello, I am your operations desk.",
      "Ask me in plain words. I work out who can do it, pass it on and bring you the",
      "answer.",
    ].join("\n"),
  );
});

describe("a slow check", () => {
  test.concurrent("shows that it works, and for what; the prompt stays free, and a late answer says its question", async () => {
    using folder = createDataFolder();
    await using site = await openSite();
    await using terminal = openDesk(folder.dir);
    await greeted(terminal);
    terminal.press(`is ${site.url}/slow up?`, KEY.enter);
    await terminal.until(new RegExp(`${SPINNER} \\d s {2}waiting for 127\\.0\\.0\\.1:${site.port}`));
    await say(terminal, `is ${site.url}/quick up?`, /quick answers 200/);
    site.release();
    await terminal.until(/slow answers 200/);
    terminal.press(KEY.ctrlD);
    expect(await terminal.exited).toBe(0);
    const lines = screenOf(terminal.raw())
      .slice(16)
      .map((line) => line.replace(/ in [\d.]+ m?s$/, ""));
    expect(lines.filter((line) => /\/(?:slow|quick)/.test(line))).toEqual([
      `> is ${site.url}/slow up?`,
      `> is ${site.url}/quick up?`,
      `✅ ${site.url}/quick answers 200`,
      `You asked: is ${site.url}/slow up?`,
      `✅ ${site.url}/slow answers 200`,
    ]);
    // No status line is left behind, and no line of the log got in between.
    expect(lines.join("\n")).not.toMatch(new RegExp(`${SPINNER}|WARN|ERROR|"level"`));
  });

  test.concurrent("is given up by /cancel", async () => {
    using folder = createDataFolder();
    await using site = await openSite();
    await using terminal = openDesk(folder.dir);
    await greeted(terminal);
    terminal.press(`is ${site.url}/slow up?`, KEY.enter);
    await site.seen("/slow");
    terminal.press("/cancel", KEY.enter);
    await terminal.until(/I have cancelled your request\./);
    await say(terminal, `is ${site.url}/quick up?`, /quick answers 200/);
    terminal.press(KEY.ctrlD);
    expect(await terminal.exited).toBe(0);
    const screen = screenOf(terminal.raw()).slice(16).join("\n");
    expect(screen).toContain(
      `> /cancel\nYou asked: is ${site.url}/slow up?\n⚠️ Cancelled. Ask again if you still want it.\nE_CANCELLED\nI have cancelled your request.\n`,
    );
    expect(screen).not.toContain("slow answers");
  });

  test.concurrent("does not hold up who leaves: it is owed, and answered at the next start", async () => {
    using folder = createDataFolder();
    await using site = await openSite();
    {
      await using terminal = openDesk(folder.dir);
      await greeted(terminal);
      terminal.press(`is ${site.url}/slow up?`, KEY.enter);
      await site.seen("/slow");
      terminal.press(KEY.ctrlD);
      expect(await terminal.exited).toBe(0);
    }
    site.release();
    await using again = openDesk(folder.dir);
    await again.until(
      new RegExp(`You asked at [^:]+:\\d\\d: is ${site.url}/slow up\\?\\r\\n✅ ${site.url}/slow answers 200`),
    );
  });
});
