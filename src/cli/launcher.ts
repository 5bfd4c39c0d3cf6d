/**
 * Ends this process when the launcher that started it, an older Node or `voxtree dev`, has died without a word: nobody
 * could reach it any more, and it would hold the data folder. As SIGKILL, because that is what the launcher died of.
 */
export function dieWithLauncher(): void {
  if (!process.channel) return;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel.unref();
}
