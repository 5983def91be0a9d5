/** Loads the package on first use, because it consists of many modules and few requests need it. */
export const importWebauthn = () => import('@simplewebauthn/server')
