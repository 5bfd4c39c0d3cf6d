/** Work that never runs twice at once. */
export interface OneAtATime {
  /** Has it run; resolves when it has run from its beginning to its end after this call. */
  run(): Promise<void>;
  /** Has it begin no more; resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** Whoever asks for `work` while it runs has it run once more: what it looked at first may have changed. It must not reject. */
export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let isWanted = false;
  let isStopped = false;
  let running: Promise<void> | undefined;

  const loop = async (): Promise<void> => {
    while (isWanted && !isStopped) {
      isWanted = false;
      await work();
    }
    // In the same moment as the last look at isWanted: nobody can join what looks no more.
    running = undefined;
  };

  return {
    run() {
      if (isStopped) return Promise.resolve();
      isWanted = true;
      running ??= loop();
      return running;
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
