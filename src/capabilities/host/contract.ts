/** How a machine is at one moment. Sizes are in bytes, percentages from 0 to 100 with one decimal. */
export interface HostSnapshot {
  readonly load: {
    /** Averages over 1, 5 and 15 minutes. */
    readonly averages: readonly [number, number, number];
    readonly cores: number;
    /** The 1 minute average for each core. */
    readonly perCore: number;
  };
  readonly memory: {
    readonly totalBytes: number;
    /** What programs can still have without swapping; caches that can be dropped count. */
    readonly availableBytes: number;
    /** Whether the total is a container's limit and not the machine's. */
    readonly isLimited: boolean;
  };
  readonly swap: { readonly totalBytes: number; readonly usedBytes: number };
  readonly mounts: readonly MountSnapshot[];
  /** Mounts that did not answer in time, as dead network drives do. */
  readonly stuckMounts: readonly string[];
  /** Mounts that were not asked because another one is stuck: nothing is known of them. */
  readonly unaskedMounts: readonly string[];
  readonly uptimeMs: number;
  /** Whether this is the view from inside a container: load is then the machine's, mounts are the container's. */
  readonly isContainer: boolean;
  readonly clock: {
    /** ISO 8601, UTC. */
    readonly at: string;
    /** Known where systemd keeps the time; false is not distinguished from unknown. */
    readonly isSynchronized?: true;
  };
}

/** The room on one file system that programs can write to. */
export interface MountSnapshot {
  readonly path: string;
  readonly type: string;
  readonly totalBytes: number;
  /** What programs that are not root can still have. */
  readonly availableBytes: number;
  /** As df counts it: of what is used and what is available, without what is kept for root. */
  readonly usedPercent: number;
  /** Missing where the file system does not count inodes. */
  readonly inodes?: { readonly total: number; readonly free: number; readonly usedPercent: number };
  readonly isReadOnly: boolean;
}

/** The machine that the agent runs on. */
export interface Host {
  /** Looks at everything once. Throws the signal's reason when it aborts; nothing else makes it fail. */
  snapshot(options?: { readonly signal?: AbortSignal }): Promise<HostSnapshot>;
}
