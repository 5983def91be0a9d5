/**
 * Returns command and arguments that run Node.js without tap's loaders, which double the processor time of a short
 * program. tap sets them by a variable whenever a process starts, so only `env` can remove it.
 * @param variables of the process; its own `NODE_OPTIONS` stay
 */
export function plainNode(
  args: string[],
  variables: { NODE_OPTIONS?: string } = {},
): [command: string, args: string[]] {
  const own = variables.NODE_OPTIONS === undefined ? [] : [`NODE_OPTIONS=${variables.NODE_OPTIONS}`]
  return ['env', ['-u', 'NODE_OPTIONS', ...own, process.execPath, ...args]]
}
