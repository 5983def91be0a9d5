declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open, writable file; returns false if another file descriptor holds it. */
  export function tryLock(fd: number): boolean
}
