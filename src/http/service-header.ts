/**
 * Header that identifies responses of the service; gateways and captive portals may also send JSON with status 200. The
 * web app accepts content and confirmations of writes only with this header.
 */
export const SERVICE_HEADER: Readonly<Record<string, string>> = { 'x-service': 'svc-training' }
