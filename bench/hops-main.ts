// Agents of the four hops without product code: `node bench/hops-main.ts <floor | bareBullmq> <url> <agents> [size]`.
import { bareBullmqEnd } from "./bare-bullmq.ts";
import { floorEnd } from "./floor.ts";
import { openHop, openRoot } from "./hops.ts";
import { measureOrServe, type Open } from "./measure-or-serve.ts";

const [way = "", url = "", agents = "", size] = process.argv.slice(2);
const names = agents.split(",");
const open = way === "floor" ? floorEnd(url) : bareBullmqEnd(url);
const others: Open[] = [];
for (const name of ["web", "ops"] as const) {
  if (names.includes(name)) others.push(await openHop(open, name));
}
await measureOrServe({ root: names.includes("root") ? await openRoot(open) : undefined, others }, size);
