export interface MailSettings {
  host: string
  port: number
  security: 'starttls' | 'force_tls' | 'off'
  login: { username: string; password: string } | undefined
  from: string
  fromName: string | undefined
  replyTo: string | undefined
  /** Name of the company, below each mail; undefined if not configured */
  company: string | undefined
  /** PEM certificates of the authority that signed the server's certificate; undefined for public authorities */
  ca: string | undefined
}

/**
 * Returns the public address for links in mails. Returns undefined if the service sends no mail to users, which requires
 * a mail server and a public address.
 */
export function linkAddressOf(config: { mail: MailSettings | undefined; publicUrl: string | undefined }) {
  return config.mail === undefined ? undefined : config.publicUrl
}

export interface GivenMail {
  SMTP_HOST: string | undefined
  SMTP_PORT: number
  SMTP_SECURITY: string
  SMTP_USERNAME: string | undefined
  SMTP_PASSWORD: string | undefined
  SMTP_FROM: string | undefined
  SMTP_FROM_NAME: string | undefined
  SMTP_REPLY_TO: string | undefined
  COMPANY_NAME: string | undefined
}

/**
 * Reads the settings of the mail server; returns undefined if the host or the sender is missing, which turns mail off.
 * @param ca content of `SMTP_CA_FILE`
 * @param fail called with the name of a variable and its problem in German; must throw
 */
export function readMailSettings(
  given: GivenMail,
  ca: string | undefined,
  fail: (variable: string, problem: string) => never,
): MailSettings | undefined {
  const { SMTP_HOST: host, SMTP_FROM: from, SMTP_USERNAME: username, SMTP_PASSWORD: password } = given
  if (username === undefined && password !== undefined) fail('SMTP_USERNAME', 'fehlt, obwohl SMTP_PASSWORD gesetzt ist')
  if (username !== undefined && password === undefined) fail('SMTP_PASSWORD', 'fehlt, obwohl SMTP_USERNAME gesetzt ist')
  if (host === undefined || from === undefined) return undefined
  return {
    host,
    port: given.SMTP_PORT,
    security: given.SMTP_SECURITY as MailSettings['security'],
    login: username === undefined || password === undefined ? undefined : { username, password },
    from,
    fromName: given.SMTP_FROM_NAME,
    replyTo: given.SMTP_REPLY_TO,
    company: given.COMPANY_NAME?.trim(),
    ca,
  }
}

const HOST_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,251}[\p{L}\p{N}])?$/u
const IPV6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i

/** Returns the problem as the end of a German sentence; undefined if the host name or IP address is valid. */
export function checkMailHost(text: string): string | undefined {
  return HOST_NAME.test(text) || IPV6.test(text)
    ? undefined
    : 'muss der Name oder die Adresse eines Servers sein, ohne smtp:// und ohne Port (SMTP_PORT)'
}

/** Returns the problem as the end of a German sentence; undefined if the name is valid. */
export function checkSenderName(text: string): string | undefined {
  return text.length <= 100 && !/\p{Cc}/u.test(text)
    ? undefined
    : 'darf höchstens 100 Zeichen und keinen Zeilenumbruch haben'
}
