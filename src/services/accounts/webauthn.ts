/**
 * Loaded on first use: the package and its dependencies are one in six of the modules of a start, and most requests
 * need none.
 */
export const importWebauthn = () => import('@simplewebauthn/server')
