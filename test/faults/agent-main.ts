// One agent in a process of its own, as the fault suite runs it: what its roles do leaves a trail on stdout, and its wall
// clock goes as wrong as stdin says. The argument: AgentFacts as JSON.
import { createInterface } from "node:readline";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import { openAgent } from "../../src/cli/compose-agent.ts";
import { openTree } from "../../src/cli/compose.ts";
import { openLanes } from "../../src/cli/lanes.ts";
import type { OpenAgents } from "../../src/cli/open-agents.ts";
import { onStopSignals } from "../../src/cli/stop-signals.ts";
import type { Config } from "../../src/config.ts";
import { type Clock, type FailureValue, isFailure, systemClock } from "../../src/envelope/index.ts";
import { createLog } from "../../src/log.ts";
import type { Transport } from "../../src/transport/port.ts";
import { createHarnessChannel } from "./harness-channel.ts";
import type { AgentFacts, FromAgent, ToAgent } from "./lines.ts";
import { createTrailCapability } from "./trail.ts";

const facts = JSON.parse(process.argv[2] ?? "{}") as AgentFacts;
const GRACE_MS = 1500;

/** On a pipe this returns when the line is out: a process that is killed next has said it. */
const tell = (line: FromAgent): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let { skewMs } = facts;
const machine = systemClock();
const clock: Clock = { ...machine, now: () => machine.now() + skewMs };
const log = createLog({ level: "warn" });
const config: Config = {
  dataDir: facts.dataDir,
  redisUrl: facts.redisUrl,
  logLevel: "warn",
  keepDays: 30,
  durability: "normal",
  zone: "UTC",
  netAllow: [],
};
const trail = createTrailCapability(facts.mended, (deed) => tell({ is: "deed", ...deed }));
const channel = createHarnessChannel(tell);

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const told = JSON.parse(line) as ToAgent;
    if ("say" in told) channel.say(told.say);
    else if ("skewMs" in told) ({ skewMs } = told);
    else tell({ is: "memory", mostMb: process.resourceUsage().maxRSS / 1024 });
  })
  // Nobody is left who could end it.
  .on("close", () => process.kill(process.pid, "SIGKILL"));

const stopped = Promise.withResolvers<void>();
onStopSignals({ stop: () => stopped.resolve(), force: () => process.exit(1) });
const agents = await open();
if (isFailure(agents)) throw new Error(agents.text);
tell({ is: "ready" });
await Promise.race([stopped.promise, agents.fatal]);
await agents.close(GRACE_MS);
process.exit(0);

async function open(): Promise<OpenAgents | FailureValue> {
  const lanes = await openLanes(config, { clock, log });
  if (isFailure(lanes)) return lanes;
  const transport = showing(lanes);
  const gateway = createGateway({ channels: [channel], log });
  if (facts.name === "root") {
    return openTree({
      config,
      rolesDir: facts.rolesDir,
      gateway,
      log,
      clock,
      transport,
      capabilities: [trail],
    });
  }
  return openAgent({ ...facts, config, log, clock, transport, capabilities: [trail] });
}

/** Shows some of what is sent, so that the harness can send it once more. */
function showing(transport: Transport): Transport {
  let count = 0;
  return {
    isShared: transport.isShared,
    readAlerts: () => transport.readAlerts(),
    async join(end) {
      const connection = await transport.join(end);
      return {
        ...connection,
        async send(to, parcel) {
          await connection.send(to, parcel);
          count += 1;
          if (facts.showEvery > 0 && count % facts.showEvery === 0) {
            tell({ is: "sent", from: end.name, to, text: parcel.text });
          }
        },
      };
    },
  };
}
