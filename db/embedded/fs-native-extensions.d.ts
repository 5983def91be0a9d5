declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open, writable file; false when another file descriptor holds it. */
  export function tryLock(fd: number): boolean
}
