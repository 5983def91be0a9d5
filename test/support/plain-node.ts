/**
 * Returns the command and the arguments that run Node.js without tap's loaders, which double the processor time of a
 * short program. tap sets them in NODE_OPTIONS of every child process, so only `env` can remove them.
 * @param variables environment of the process; a `NODE_OPTIONS` in it is kept
 */
export function plainNode(
  args: string[],
  variables: { NODE_OPTIONS?: string } = {},
): [command: string, args: string[]] {
  const own = variables.NODE_OPTIONS === undefined ? [] : [`NODE_OPTIONS=${variables.NODE_OPTIONS}`]
  return ['env', ['-u', 'NODE_OPTIONS', ...own, process.execPath, ...args]]
}
