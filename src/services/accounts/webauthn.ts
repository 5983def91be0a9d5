/** On first use: with all that it brings it is one in six of the modules of a start, and most requests need none of it. */
export const importWebauthn = () => import('@simplewebauthn/server')
