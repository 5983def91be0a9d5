/**
 * Loads the package on first use. It accounts for one sixth of the modules of the service, and few requests need it.
 */
export const importWebauthn = () => import('@simplewebauthn/server')
