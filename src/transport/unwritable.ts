const REPLICA =
  "it is a read-only replica: name its primary in REDIS_URL, or make it the primary (REPLICAOF NO ONE)";

/** What Redis says, in the first word of an error, when it would take no write at all; what that is, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  READONLY: REPLICA,
  MASTERDOWN: REPLICA,
  OOM: "its memory is used up (maxmemory), and it takes no writes: raise maxmemory, or remove what is not Voxtree's",
  MISCONF:
    "it could not save its files, and takes no writes: see its log, and give it disk space or the rights on its folder",
  NOREPLICAS:
    "too few replicas follow it (min-replicas-to-write), and it takes no writes: bring them back, or lower that setting",
};

/** Why a Redis that answers takes no writes, and what to do about it; `undefined` for every other error. */
export function whyUnwritable({ name, message }: Error): string | undefined {
  // Errors of other kinds may hold words of whoever wrote a job.
  if (name !== "ReplyError") return undefined;
  const [word = ""] = message.split(" ", 1);
  return REASONS[word];
}
