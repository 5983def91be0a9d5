import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { MailSettings } from '../../src/domain/mail/settings.js'
import { CERTIFICATE_OF_LOCALHOST, TEST_CA, TEST_KEY } from './certificates.js'
import type { Owner } from './process.js'

export const LOGIN = { username: 'training', password: 'geheimes-passwort' }

export interface ReceivedMail {
  from: string
  to: string
  isEncrypted: boolean
  /** Headers by lower-case name, unfolded */
  headers: Record<string, string>
  raw: string
}

/** A refusal by the mail server; undefined if the server accepts */
type Reply = { code: number; text: string } | undefined

export interface MailServer {
  port: number
  received: ReceivedMail[]
  /** Returns the reply to a recipient, at once or later. */
  onRecipient: (address: string) => Reply | Promise<Reply>
  /** Returns the reply to a mail after its text has arrived, at once or later. */
  onMail: (mail: ReceivedMail) => Reply | Promise<Reply>
  /** Returns the settings of a client. The server's certificate is valid for `localhost`. */
  settings(overrides?: Partial<MailSettings>): MailSettings
  cut(): void
  close(): Promise<void>
}

/** Starts an SMTP server with STARTTLS and optional authentication. Closes the server when the test ends. */
export async function startMailServer(t: Owner, options: SMTPServerOptions = {}): Promise<MailServer> {
  const replyWith = async (done: (error?: Error | null) => void, reply: Reply | Promise<Reply>) => {
    const given = await reply
    done(given === undefined ? null : Object.assign(new Error(given.text), { responseCode: given.code }))
  }
  const server = new SMTPServer({
    key: TEST_KEY,
    cert: CERTIFICATE_OF_LOCALHOST,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === LOGIN.username && password === LOGIN.password
      done(isRight ? null : Object.assign(new Error('5.7.8 Bad credentials'), { responseCode: 535 }), {
        user: username,
      })
    },
    onRcptTo: ({ address }, _session, done) => void replyWith(done, mailServer.onRecipient(address)),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const mail = readMail(Buffer.concat(chunks).toString('utf8'), session)
        const reply = await mailServer.onMail(mail)
        if (reply === undefined) mailServer.received.push(mail)
        await replyWith(done, reply)
      })
    },
    ...options,
  })
  // Ignores aborted connections, which are part of the tests.
  server.on('error', () => {})
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const mailServer: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    received: [],
    onRecipient: () => undefined,
    onMail: () => undefined,
    settings: (overrides) => ({
      host: 'localhost',
      port: mailServer.port,
      security: 'starttls',
      login: LOGIN,
      from: 'training@example.org',
      fromName: 'Übungen & Mehr',
      replyTo: undefined,
      company: undefined,
      ca: TEST_CA,
      ...overrides,
    }),
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  t.teardown(mailServer.close)
  return mailServer
}

function readMail(raw: string, { envelope, secure }: SMTPServerSession): ReceivedMail {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  return { from, to: envelope.rcptTo.map(({ address }) => address).join(), isEncrypted: secure, headers, raw }
}
