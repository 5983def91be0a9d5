/**
 * Proves that the service itself has answered: gateways and portals answer JSON with status 200, too. The web app takes
 * no other response for content or for the confirmation of a write.
 */
export const SERVICE_HEADER: Readonly<Record<string, string>> = { 'x-service': 'svc-training' }
