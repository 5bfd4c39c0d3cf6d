import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { circlesIn, filesBelow, importsBelow, type Import } from "./support/import-graph.ts";

/**
 * Who may import whom. A key is a folder or file of src/ (the longest one that fits counts), and its value the folders
 * and files of src/ that it may import besides its own. Imports of types count.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  envelope: [],
  sdk: ["envelope"],
  "sdk/testing": ["sdk", "envelope"],
  // Its failures are values of the one registry, which stands with the envelope.
  storage: ["envelope"],
  ledger: ["storage", "envelope"],
  identity: ["storage", "envelope"],
  admission: ["envelope", "identity"],
  transport: ["envelope"],
  intent: ["sdk"],
  i18n: [],
  dialogue: ["intent", "sdk", "storage", "i18n"],
  people: ["storage", "sdk", "envelope"],
  catalog: ["sdk", "envelope"],
  // Every envelope that moves passes here, and of the transport it knows the port alone.
  agent: ["sdk", "envelope", "ledger", "admission", "transport/port.ts"],
  orchestrator: ["agent", "catalog", "sdk", "envelope"],
  warroom: ["sdk", "envelope", "storage"],
  evidence: ["agent", "envelope"],
  provision: ["identity", "catalog", "envelope"],
  // A bad setting is a failure with a code like any other.
  "settings.ts": [],
  "config.ts": ["envelope", "settings.ts"],
  "log.ts": ["config.ts", "sdk"],
};

/** The domain folder that each capability exposes; beside it a capability may import what all of them may. */
const EXPOSES: Readonly<Record<string, string | undefined>> = {
  net: undefined,
  host: undefined,
  store: "ledger",
  understanding: "dialogue",
  commands: "agent",
  "comm-gateway": undefined,
  incidents: "warroom",
  schedule: undefined,
};
const EVERY_CAPABILITY_MAY = ["sdk", "envelope", "storage", "i18n"];

/** Composition: these may import everything. */
const COMPOSITION = ["cli", "main.ts"];

/** Libraries with one home. */
const HOME: Readonly<Record<string, string>> = {
  "node:sqlite": "src/storage/",
  "oxc-parser": "src/catalog/",
  yaml: "src/catalog/",
  undici: "src/capabilities/net/",
  croner: "src/capabilities/schedule/",
  systeminformation: "src/capabilities/host/",
  commander: "src/cli/",
  pino: "src/log.ts",
  bullmq: "src/transport/",
  ioredis: "src/transport/",
  grammy: "src/capabilities/comm-gateway/",
};

const MOST_LINES = 320;
/** The folder that VOXTREE_DATA_DIR names is called so everywhere. */
const EXCUSED = ["data-folder.ts"];
const BANNED_WORDS = ["manager", "helper", "util", "service", "processor", "data", "info", "misc", "common"];

/** The key of the table under which a file falls, or undefined. */
function areaOf(file: string): string | undefined {
  const path = file.slice("src/".length);
  const capability = /^capabilities\/([^/]+)\//.exec(path)?.[1];
  if (capability !== undefined) return capability in EXPOSES ? `capabilities/${capability}` : undefined;
  return [...Object.keys(MAY_IMPORT), ...COMPOSITION]
    .filter((key) => path === key || path.startsWith(`${key}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function allowedFor(area: string): readonly string[] {
  if (!area.startsWith("capabilities/")) return MAY_IMPORT[area] ?? [];
  const exposed = EXPOSES[area.slice("capabilities/".length)];
  return exposed === undefined ? EVERY_CAPABILITY_MAY : [...EVERY_CAPABILITY_MAY, exposed];
}

/** What is wrong with an import inside src/, in words; undefined when it is allowed. */
function judge({ from, to }: Import): string | undefined {
  const area = areaOf(from);
  if (area === undefined) return `${from}: its folder is not in the table; say there what it may import`;
  if (COMPOSITION.includes(area)) return undefined;
  const allowed = allowedFor(area);
  const target = to.slice("src/".length);
  if (
    to.startsWith("src/") &&
    (areaOf(to) === area || allowed.some((each) => target === each || areaOf(to) === each))
  ) {
    return undefined;
  }
  return `${from} imports ${to}: ${area} may import only ${allowed.join(", ") || "its own files"}`;
}

function judgeRole({ from, to, isLibrary }: Import): string | undefined {
  const isTest = from.endsWith(".test.ts");
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  const isOwn = to.startsWith(folder) && !to.slice(folder.length).includes("/");
  if (isTest && (isOwn || isLibrary || to.startsWith("src/sdk/testing/"))) return undefined;
  if (to === "src/sdk/index.ts" || (isOwn && to.startsWith(`${folder}_`))) return undefined;
  if (isLibrary && !to.startsWith("node:") && !(to in HOME)) return undefined;
  return `${from} imports ${to}: roles may import only #sdk, zod, libraries and ./_x files`;
}

const inSource = importsBelow("src");
const inRoles = importsBelow("roles");

test("each folder imports only what the table says", () => {
  const wrong = inSource.filter(({ isLibrary }) => !isLibrary).flatMap((each) => judge(each) ?? []);
  expect(wrong).toEqual([]);
});

test("roles import only #sdk, libraries and their own files", () => {
  expect(inRoles.flatMap((each) => judgeRole(each) ?? [])).toEqual([]);
});

test("each heavy library is imported by one folder", () => {
  const wrong = inSource.flatMap(({ from, to, isLibrary }) => {
    const home = isLibrary ? HOME[to] : undefined;
    return home === undefined || from.startsWith(home) ? [] : [`${from} imports ${to}: only ${home} may`];
  });
  expect(wrong).toEqual([]);
});

test("every import leads to a file, and none of them in a circle", () => {
  const files = [...inSource, ...inRoles].filter(({ isLibrary }) => !isLibrary);
  expect(files.filter(({ to }) => !existsSync(to)).map(({ from, to }) => `${from} imports ${to}`)).toEqual(
    [],
  );
  expect(circlesIn(files).map((circle) => circle.join(" → "))).toEqual([]);
});

test(`no file is longer than ${MOST_LINES} lines`, () => {
  const long = filesBelow("src", "roles")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, lines: readFileSync(file, "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES);
  expect(long).toEqual([]);
});

test("no file has a name that says nothing", () => {
  const files = filesBelow("src", "roles", "test", "bench").filter(
    (file) => !EXCUSED.some((name) => file.endsWith(`/${name}`)),
  );
  const empty = files.filter((file) =>
    file
      .split(/[/.-]/)
      .some((word) => BANNED_WORDS.some((banned) => word === banned || word === `${banned}s`)),
  );
  expect(empty).toEqual([]);
});

describe("the table itself", () => {
  const importing = (from: string, to: string): Import => ({ from, to, isLibrary: false });

  test("tells a breach in words", () => {
    expect(judge(importing("src/intent/x.ts", "src/ledger/index.ts"))).toBe(
      "src/intent/x.ts imports src/ledger/index.ts: intent may import only sdk",
    );
    expect(judge(importing("src/agent/x.ts", "src/transport/bullmq.ts"))).toContain("transport/port.ts");
    expect(judge(importing("src/capabilities/net/x.ts", "src/capabilities/host/index.ts"))).toBe(
      "src/capabilities/net/x.ts imports src/capabilities/host/index.ts: capabilities/net may import only sdk, envelope, storage, i18n",
    );
    expect(judge(importing("src/novel/x.ts", "src/sdk/index.ts"))).toBe(
      "src/novel/x.ts: its folder is not in the table; say there what it may import",
    );
    expect(judge(importing("src/sdk/x.ts", "src/sdk/testing/index.ts"))).toBe(
      "src/sdk/x.ts imports src/sdk/testing/index.ts: sdk may import only envelope",
    );
  });

  test("lets composition, own files and what is listed pass", () => {
    expect(judge(importing("src/cli/start.ts", "src/ledger/index.ts"))).toBeUndefined();
    expect(judge(importing("src/ledger/a.ts", "src/ledger/b.ts"))).toBeUndefined();
    expect(judge(importing("src/agent/x.ts", "src/transport/port.ts"))).toBeUndefined();
    expect(judge(importing("src/capabilities/store/x.ts", "src/ledger/index.ts"))).toBeUndefined();
  });

  test("holds roles to #sdk, and their tests to what tests need", () => {
    const role = "roles/web/http.ts";
    expect(judgeRole(importing(role, "src/i18n/index.ts"))).toContain("roles may import only #sdk");
    expect(judgeRole(importing(role, "roles/ops/_x.ts"))).toContain("roles may import only #sdk");
    expect(judgeRole(importing(role, "src/sdk/testing/index.ts"))).toContain("roles may import only #sdk");
    expect(judgeRole({ from: role, to: "undici", isLibrary: true })).toContain("roles may import only #sdk");
    expect(judgeRole(importing(role, "roles/web/_x.ts"))).toBeUndefined();
    expect(judgeRole(importing("roles/web/http.test.ts", role))).toBeUndefined();
    expect(judgeRole(importing("roles/web/http.test.ts", "src/sdk/testing/index.ts"))).toBeUndefined();
  });

  test("finds a circle through several files", () => {
    const ring = [importing("a.ts", "b.ts"), importing("b.ts", "c.ts"), importing("c.ts", "b.ts")];
    expect(circlesIn(ring)).toEqual([["b.ts", "c.ts", "b.ts"]]);
  });
});
