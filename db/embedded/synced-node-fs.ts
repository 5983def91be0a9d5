import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type EmscriptenOptions = Parameters<NodeFS['init']>[1]

/** PGlite's file system for Node.js with a working fsync, so that commits survive a power failure. */
export class SyncedNodeFS extends NodeFS {
  override async init(pg: PGlite, options: EmscriptenOptions): ReturnType<NodeFS['init']> {
    const preRun = [...(options.preRun ?? []), (module: NodeFsModule) => setFsync(module)]
    return super.init(pg, { ...options, preRun } as EmscriptenOptions)
  }
}

interface NodeFsModule {
  NODEFS: {
    realPath(node: unknown): string
    stream_ops: { fsync?: (stream: { node: unknown; nfd?: number }) => number }
  }
}

function setFsync({ NODEFS }: NodeFsModule): void {
  NODEFS.stream_ops.fsync = ({ node, nfd }) => {
    if (nfd === undefined) syncFolder(NODEFS.realPath(node))
    else fsyncSync(nfd)
    return 0
  }
}

/** Flushes the entries of a folder, for which PGlite has no file descriptor of the operating system. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
