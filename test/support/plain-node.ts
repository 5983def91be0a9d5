/**
 * Command and arguments by which Node.js runs as tap has not prepared it: tap gives each test, and each program that a
 * test starts, a thread through which they load their modules, which doubles the processor time of a short program. It
 * does so by a variable that it sets whenever a process is started, so that only `env` can set it otherwise.
 * @param variables those of the process; its own `NODE_OPTIONS` stay
 */
export function plainNode(
  args: string[],
  variables: { NODE_OPTIONS?: string } = {},
): [command: string, args: string[]] {
  const own = variables.NODE_OPTIONS === undefined ? [] : [`NODE_OPTIONS=${variables.NODE_OPTIONS}`]
  return ['env', ['-u', 'NODE_OPTIONS', ...own, process.execPath, ...args]]
}
