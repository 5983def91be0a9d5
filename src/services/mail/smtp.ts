import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import {
  classifyFault,
  type DeliveryFault,
  describeFault,
  sanitizeReply,
  type Verdict,
} from '../../domain/mail/delivery.js'
import type { MailSettings } from '../../domain/mail/settings.js'
import { composeMail, type OutgoingMail } from './message.js'

/**
 * Timeout of each of the steps DNS lookup, connection and greeting. The three steps together have twice this timeout.
 */
const CONNECT_MS = 30_000
/** Maximum time for which the server may send nothing, and timeout of the login */
const SILENCE_MS = 60_000
/** Timeout of one mail. The timeouts of connection, login and mail together must be shorter than a job's lease. */
const MAIL_MS = 120_000
/**
 * Time left to complete a mail that is being sent when the signal is aborted; must be shorter than the grace period of
 * the shutdown
 */
const STOP_MS = 5_000

/** Outcome of an attempt. `reply` is what the server or the system said; `stage` is where the attempt ended. */
export interface MailOutcome {
  verdict: 'sent' | Verdict
  stage: DeliveryFault['stage']
  reply: string
}

/** Thrown if the mail server cannot be used. The message is German and ends with the server's reply or the error. */
export class ServerFault extends Error {
  constructor(
    readonly stage: DeliveryFault['stage'],
    readonly reply: string,
  ) {
    super(describeFault({ stage }, reply))
  }
}

export interface MailConnection {
  send(mail: OutgoingMail): Promise<MailOutcome>
  /** Whether another mail can be sent; false after any fault */
  isUsable(): boolean
  close(): void
}

/** An error of nodemailer, with the failed SMTP command and the server's reply if they are known. */
interface SmtpError extends Error {
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
}

/**
 * Connects to the mail server and logs in.
 * @param signal ends the connection: at once while connecting, after `STOP_MS` while a mail is sent
 * @throws ServerFault if the server cannot be used
 * @throws the reason of the signal if it is aborted while connecting
 */
export async function connectToMailServer(settings: MailSettings, signal: AbortSignal): Promise<MailConnection> {
  signal.throwIfAborted()
  const [{ default: Connection }, { default: Composer }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/mail-composer'),
  ])
  const { host, port, security, login, ca } = settings
  const connection = new Connection({
    host,
    port,
    secure: security === 'force_tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'off',
    tls: ca === undefined ? {} : { ca },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    socketCloseTimeout: 1_000,
    // Without this option, nodemailer uses only IP versions for which this machine has an external address.
    allowInternalNetworkInterfaces: true,
  })
  const password = login?.password
  let isUsable = true
  // This listener stays for errors that follow the first error: an unhandled error event would end the process.
  connection.on('error', () => {
    isUsable = false
  })
  connection.on('end', () => {
    isUsable = false
  })
  const tell = (error: SmtpError) => sanitizeReply(error.response ?? error.message, password)

  /**
   * Runs one step of the protocol. Rejects if the connection breaks, after `limitMs`, or `stopMs` after the signal is
   * aborted.
   */
  const step = <T>(run: (done: (error?: Error | null, result?: T) => void) => void, limitMs: number, stopMs: number) =>
    new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => {
        isUsable = false
        settle()
        reject(error)
        connection.close()
      }
      const overdue = setTimeout(() => fail(new Error('Timeout')), limitMs)
      let stopped: NodeJS.Timeout | undefined
      const stop = () => {
        stopped = setTimeout(() => fail(signal.reason), stopMs)
      }
      const settle = () => {
        clearTimeout(overdue)
        clearTimeout(stopped)
        signal.removeEventListener('abort', stop)
        connection.off('error', fail)
        connection.off('end', end)
      }
      const end = () => fail(new Error('Connection closed'))
      connection.once('error', fail)
      connection.once('end', end)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      run((error, result) => {
        if (error) return fail(error)
        settle()
        resolve(result as T)
      })
    })

  try {
    await step((done) => connection.connect(done), CONNECT_MS * 2, 0)
    if (login !== undefined) {
      if (!connection.allowsAuth) throw new ServerFault('login', 'Der Server bietet keine Anmeldung an')
      const credentials = { user: login.username, pass: login.password }
      await step((done) => connection.login({ credentials }, done), SILENCE_MS, 0)
    }
  } catch (error) {
    connection.close()
    signal.throwIfAborted()
    if (error instanceof ServerFault) throw error
    throw new ServerFault(connectStage(error as SmtpError), tell(error as SmtpError))
  }

  return {
    isUsable: () => isUsable,
    close: () => {
      isUsable = false
      connection.quit()
      setTimeout(() => connection.close(), 1_000).unref()
    },
    send: async (mail) => {
      let hasBegun = false
      try {
        const composed = new Composer(composeMail(settings, mail)).compile()
        const text = await composed.build()
        const stream = new Readable({
          read() {
            hasBegun = true
            this.push(text)
            this.push(null)
          },
        })
        const sent = await step<SMTPConnection.SentMessageInfo>(
          (done) => connection.send(composed.getEnvelope(), stream, done),
          MAIL_MS,
          STOP_MS,
        )
        return { verdict: 'sent', stage: 'mail', reply: sanitizeReply(sent.response, password) }
      } catch (error) {
        const { command, responseCode: status } = error as SmtpError
        const stage = command === 'MAIL FROM' ? 'sender' : 'mail'
        return { verdict: classifyFault({ stage, status, hasBegun }), stage, reply: tell(error as SmtpError) }
      }
    },
  }
}

/** Matches the error codes of Node and OpenSSL for rejected certificates and failed handshakes. */
const ENCRYPTION_CODES = /CERT|SIGNATURE|TLS|SSL|EPROTO/

function connectStage({ code = '', originalCode = '', command = '' }: SmtpError): DeliveryFault['stage'] {
  if (code === 'EAUTH') return 'login'
  const isEncryption = command === 'STARTTLS' || ENCRYPTION_CODES.test(code) || ENCRYPTION_CODES.test(originalCode)
  return isEncryption ? 'encryption' : 'connection'
}
