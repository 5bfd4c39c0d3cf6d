#!/usr/bin/env node
// Starts Voxtree on Node 24 or newer. An older Node hands over to the one that `npm ci` put beside the project.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";

const main = new URL("../src/main.ts", import.meta.url);
const pinned = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // The second start is quicker and smaller: types are taken out of the sources once. Without the folder it goes without.
  // Loading makes garbage once, and the room that it takes is never given back: none is made for it. `start` lets it grow again.
  v8.setFlagsFromString("--semi-space-growth-factor=1");
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/voxtree", import.meta.url)));
  await import(main.href);
} else if (existsSync(pinned)) {
  // The channel is there for its end alone: it tells the child that this process is gone.
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // This process outlives the child, whatever is sent to it, and ends as the child did.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
} else {
  console.error(
    `Voxtree needs Node 24 or newer and this is ${process.versions.node}: run "npm ci" without --ignore-scripts (it brings its own Node 24), or install Node 24.`,
  );
  process.exit(78);
}
