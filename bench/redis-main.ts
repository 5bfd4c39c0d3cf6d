// Agents of Voxtree over Redis: `node bench/redis-main.ts <url> <data folder> <agents> [size]`.
import { createBullmqTransport } from "../src/transport/bullmq.ts";
import { openBenchAgent, openBenchTree } from "./bench-tree.ts";
import { measureOrServe, type Open, type OpenRoot } from "./measure-or-serve.ts";

const [url = "", dataDir = "", agents = "", size] = process.argv.slice(2);
const names = agents.split(",");
let root: OpenRoot | undefined;
const others: Open[] = [];
if (names.length > 1) {
  // All in one process, they still meet in Redis.
  root = await openBenchTree({ dataDir, transport: createBullmqTransport({ url }) });
} else if (agents === "root") {
  root = await openBenchTree({ dataDir, redisUrl: url });
} else {
  others.push(await openBenchAgent(agents, { dataDir, redisUrl: url }));
}
await measureOrServe({ root, others }, size);
