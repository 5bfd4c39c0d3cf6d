// A process that runs a tree behind the wire channel, and can be told where to die.
// Arguments: the roles' folder, the data folder.
import { basename, dirname, join } from "node:path";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import { openTree } from "../../src/cli/compose.ts";
import { isFailure, systemClock } from "../../src/envelope/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { createLog } from "../../src/log.ts";
import { createLocalTransport } from "../../src/transport/local.ts";
import { createEffectsCapability } from "./effects.ts";
import { createKiller, wrapLedger, wrapTransport } from "./kill-points.ts";
import { createWireChannel } from "./wire-channel.ts";

const [rolesDir = "", dataDir = ""] = process.argv.slice(2);
const { arm, pass } = createKiller();
const log = createLog({ level: "warn" });
const clock = systemClock();
const gateway = createGateway({
  channels: [createWireChannel(join(dataDir, "replies.log"), { around: (at) => pass("root", at), arm })],
  log,
});

const tree = await openTree({
  config: {
    dataDir,
    logLevel: "warn",
    keepDays: 30,
    durability: "normal",
    zone: "UTC",
    netAllow: (process.env["NET_ALLOW"] ?? "").split(",").filter((entry) => entry !== ""),
  },
  rolesDir,
  patienceMs: Number(process.env["PATIENCE_MS"] ?? "10000"),
  gateway,
  log,
  clock,
  capabilities: [createEffectsCapability(dataDir, (at) => pass("worker", at))],
  transport: wrapTransport(createLocalTransport(), pass),
  openLedger(path, onFailure) {
    const ledger = openLedger({ path, onFailure, now: clock.now, durability: "normal" });
    return isFailure(ledger) ? ledger : wrapLedger(ledger, basename(dirname(path)), pass);
  },
});
if (isFailure(tree)) throw new Error(tree.text);
// Told on stdout, which nothing else uses: words that come now are taken in.
process.stdout.write("ready\n");
await gateway.finished;
await tree.close(5000);
