import { type DestinationStream, type Logger, pino } from 'pino'

/** Keys of secrets that are redacted at the top of a log entry and up to two levels below */
const SECRET_KEYS = ['password', 'current_password', 'new_password', 'password_hash', 'token', 'token_hash', 'secret']
const SECRET_HEADERS = ['authorization', 'cookie', '["set-cookie"]', '["proxy-authorization"]']

/** Creates the structured log of the service. Credentials of callers are redacted. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, redact: { paths: [...SECRET_KEYS.flatMap(anywhere), ...headerPaths()], censor: '***' } }
  return destination === undefined ? pino(options) : pino(options, destination)
}

function anywhere(key: string): string[] {
  return [key, `*.${key}`, `*.*.${key}`]
}

function headerPaths(): string[] {
  const owners = ['headers', 'req.headers', 'request.headers', 'res.headers', 'response.headers']
  return owners.flatMap((owner) =>
    SECRET_HEADERS.map((name) => (name.startsWith('[') ? owner + name : `${owner}.${name}`)),
  )
}
