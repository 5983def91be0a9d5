/**
 * Languages that the app offers beside German. Each has a complete catalogue in `web/messages/`.
 * @type {string[]}
 */
export const OFFERED = ['en']
