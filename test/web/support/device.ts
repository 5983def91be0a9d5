import type { CDPSession, Page, Route } from 'playwright-core'
import { routeOnce } from './route.js'

export const LOGIN_OPTIONS = '/api/auth/passkeys/login-options'

export interface Device {
  cdp: CDPSession
  authenticatorId: string
  credentials(): Promise<Credential[]>
  /** Replaces this device with another one that has these credentials. */
  replaceBy(credentials: Credential[]): Promise<void>
  /**
   * Sets whether the device confirms prompts at once. If it does, it also confirms the prompt of the autofill list, as
   * if the user had chosen a passkey there.
   */
  setAutoConfirm(enabled: boolean): Promise<void>
}
export interface Credential {
  credentialId: string
  signCount: number
  rpId?: string
}

const OPTIONS = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
}

export async function addDevice(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const add = async () =>
    (await cdp.send('WebAuthn.addVirtualAuthenticator', { options: OPTIONS as never })).authenticatorId
  const device: Device = {
    cdp,
    authenticatorId: await add(),
    credentials: async () => {
      const { authenticatorId } = device
      return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
    },
    replaceBy: async (credentials) => {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: device.authenticatorId })
      device.authenticatorId = await add()
      for (const credential of credentials) {
        await cdp.send('WebAuthn.addCredential', {
          authenticatorId: device.authenticatorId,
          credential: credential as never,
        })
      }
    },
    setAutoConfirm: async (enabled) => {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: device.authenticatorId, enabled })
    },
  }
  return device
}

export const passkeysOf = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) })

/** Creates a passkey on the account page. The device must confirm prompts at once. */
export async function addPasskey(page: Page, name: string): Promise<void> {
  await passkeysOf(page).getByRole('button', { name: 'Passkey hinzufügen' }).click()
  const asked = page.getByRole('dialog', { name: 'Passkey hinzufügen' })
  await asked.getByLabel('Name').fill(name)
  await asked.getByRole('button', { name: 'Weiter' }).click()
  await passkeysOf(page).getByText(name).waitFor()
}

/** Logs in with the button. Automatic confirmation must be off before the call; the click turns it on. */
export async function logInByButton(page: Page, device: Device): Promise<void> {
  const touch = async (route: Route) => {
    await device.setAutoConfirm(true)
    await route.continue()
  }
  await routeOnce(page, `**${LOGIN_OPTIONS}`, touch)
  await page.getByRole('button', { name: 'Mit Passkey anmelden' }).click()
}
