import { readFileSync } from 'node:fs'

interface Package {
  version: string
}

const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')

export const VERSION = (JSON.parse(text) as Package).version
