import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { type Stored, Writing } from '../../../web/src/editor/writing.js'
import type { DraftStore, StoredDraft } from '../../../web/src/storage/draft.js'

interface Text {
  question: string
  answer: string
}

const CONFLICT = new Error('409')
const KEEP_AFTER_MS = 20

class Device implements DraftStore {
  drafts: StoredDraft[] = []
  isFull = false

  async find(user: number, item: string) {
    return this.#of(user, item).sort((one, other) => other.at - one.at)[0]
  }
  async put(draft: StoredDraft) {
    if (this.isFull) throw new Error('QuotaExceededError')
    this.drafts = [...this.drafts.filter((one) => !isSame(one, draft)), structuredClone(draft)]
  }
  async remove(user: number, item: string) {
    const gone = this.#of(user, item)
    this.drafts = this.drafts.filter((one) => !gone.includes(one))
  }
  #of(user: number, item: string) {
    return this.drafts.filter((one) => one.user === user && one.item === item)
  }
}

const isSame = (one: StoredDraft, other: StoredDraft) =>
  one.user === other.user && one.item === other.item && one.version === other.version

class Service {
  stored: Stored<Text> = { version: 1, fields: { question: 'F', answer: 'A' } }
  created: { clientId: string; fields: Text }[] = []
  fault: Error | undefined
  /** Whether the response is lost after the text is stored */
  isResponseLost = false
  saved = 0

  save = async (fields: Text, version: number, clientId: string): Promise<Stored<Text>> => {
    await pause(1)
    if (this.fault !== undefined) throw this.fault
    if (version === 0) {
      if (!this.created.some((one) => one.clientId === clientId)) this.created.push({ clientId, fields })
    } else if (version !== this.stored.version) throw CONFLICT
    this.stored = { version: version + 1, fields }
    this.saved += 1
    if (this.isResponseLost) throw new Error('network')
    return this.stored
  }
}

let ids = 0

function open(service: Service, device: Device, { user = 1, stored = service.stored, item = 'card 1' } = {}) {
  const writing = new Writing<Text>({
    user,
    stored,
    drafts: device,
    keepAfterMs: KEEP_AFTER_MS,
    newId: () => `id-${++ids}`,
    save: service.save,
    load: async () => service.stored,
    isConflict: (error) => error === CONFLICT,
  })
  return writing.open(item).then(() => writing)
}

t.test('keeps what was typed on the device and returns to it, for its owner only', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'A, getippt' })
  t.equal(writing.view.isKept, undefined)
  await pause(3 * KEEP_AFTER_MS)
  t.equal(writing.view.isKept, true)

  const returned = await open(service, device)
  t.match(returned.view, { state: 'typed', fields: { answer: 'A, getippt' }, restoredAt: Number })
  t.match((await open(service, device, { user: 2 })).view, { state: 'same', fields: { answer: 'A' } })

  returned.discard()
  await pause(1)
  t.match((await open(service, device)).view, { state: 'same', fields: { answer: 'A' } })
})

t.test('stores text at once when the page closes, and reports when the device cannot store it', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'x' })
  writing.close()
  await pause(1)
  t.match(device.drafts, [{ version: 1, fields: { answer: 'x' } }])
  device.isFull = true
  writing.type({ answer: 'xy' })
  await writing.keepNow()
  t.equal(writing.view.isKept, false)
  t.equal(writing.view.fields.answer, 'xy')
})

t.test('keeps what is typed during a save when the page closes', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'x' })
  const saving = writing.save()
  writing.type({ answer: 'xy' })
  writing.close()
  t.match(device.drafts, [{ version: 1, fields: { answer: 'xy' } }])
  t.equal(await saving, true)
  await pause(1)
  t.match(device.drafts, [{ version: 2, fields: { answer: 'xy' } }])
})

t.test('keeps text that is typed without a pause', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = new Writing<Text>({
    user: 1,
    stored: service.stored,
    drafts: device,
    keepAfterMs: 60_000,
    newId: () => 'id',
    save: service.save,
    load: async () => service.stored,
    isConflict: () => false,
  })
  t.teardown(() => writing.close())
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  for (let ms = 0; ms < 3_000; ms += 50) {
    writing.type({ answer: String(ms) })
    mock.timers.tick(50)
  }
  t.match(device.drafts, [{ fields: { answer: '2950' } }])
})

t.test('reports a save only after the response of the service', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'neu' })
  const saving = writing.save()
  t.equal(writing.view.state, 'saving')
  t.equal(writing.view.savedAt, undefined)
  t.equal(await saving, true)
  t.match(writing.view, { state: 'saved', base: { version: 2 }, savedAt: Number })
  await pause(1)
  t.strictSame(device.drafts, [])
})

t.test('keeps what is typed during a save for the next version', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'eins' })
  const saving = writing.save()
  writing.type({ answer: 'eins zwei' })
  t.equal(writing.save(), saving, 'one save at a time')
  await saving
  t.match(writing.view, { state: 'typed', fields: { answer: 'eins zwei' }, base: { fields: { answer: 'eins' } } })
  await pause(KEEP_AFTER_MS)
  t.match(device.drafts, [{ version: 2, fields: { answer: 'eins zwei' } }])
  await writing.save()
  t.match(service.stored, { version: 3, fields: { answer: 'eins zwei' } })
})

t.test('keeps the text when a save fails, and saves it later', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'neu' })
  service.fault = new Error('offline')
  t.equal(await writing.save(), false)
  t.match(writing.view, { state: 'failed', error: service.fault, fields: { answer: 'neu' } })
  t.match(device.drafts, [{ fields: { answer: 'neu' } }])
  service.fault = undefined
  t.equal(await writing.save(), true)
})

t.test('saves text that was changed after the response to an earlier save was lost', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'eins' })
  service.isResponseLost = true
  t.equal(await writing.save(), false)
  service.isResponseLost = false
  writing.type({ answer: 'eins zwei' })
  t.equal(await writing.save(), true)
  t.match(writing.view, { state: 'saved', base: { version: 3 } })
  t.match(service.stored, { version: 3, fields: { answer: 'eins zwei' } })

  writing.type({ answer: 'drei' })
  service.isResponseLost = true
  t.equal(await writing.save(), false)
  service.isResponseLost = false
  service.stored = { version: 5, fields: { question: 'F', answer: 'ihres' } }
  t.equal(await writing.save(), false)
  t.match(writing.view, { state: 'conflict', theirs: { fields: { answer: 'ihres' } } }, 'but not over another text')
})

t.test('knows each of several saves that may be stored, until one succeeds', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const writing = await open(service, device)
  writing.type({ answer: 'eins' })
  service.isResponseLost = true
  t.equal(await writing.save(), false, 'stored, but the response is lost')
  service.isResponseLost = false
  writing.type({ answer: 'eins zwei' })
  service.fault = new Error('network')
  t.equal(await writing.save(), false, 'not stored')
  service.fault = undefined
  writing.type({ answer: 'eins zwei drei' })
  t.equal(await writing.save(), true)
  t.match(service.stored, { version: 3, fields: { answer: 'eins zwei drei' } })

  service.stored = { version: 4, fields: { question: 'F', answer: 'eins' } }
  writing.type({ answer: 'vier' })
  t.equal(await writing.save(), false)
  t.match(writing.view, { state: 'conflict' }, 'the same text of another person')
})

t.test('creates one item although the response was lost and the page crashed', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const empty = { version: 0, fields: { question: '', answer: '' } }
  const options = { stored: empty, item: 'new card' }
  const writing = await open(service, device, options)
  writing.type({ question: 'Neu?', answer: 'Ja' })
  service.isResponseLost = true
  t.equal(await writing.save(), false)
  service.isResponseLost = false
  const returned = await open(service, device, options)
  t.equal(await returned.save(), true)
  t.equal(service.created.length, 1)
})

t.test('creates a second item after a draft of another tab is discarded', async (t) => {
  const [service, device] = [new Service(), new Device()]
  const empty = { version: 0, fields: { question: '', answer: '' } }
  const options = { stored: empty, item: 'new card' }
  const first = await open(service, device, options)
  first.type({ question: 'X?', answer: 'X' })
  await first.keepNow()
  const second = await open(service, device, options)
  t.match(second.view, { state: 'typed', fields: { answer: 'X' } })
  second.discard()
  second.type({ question: 'Y?', answer: 'Y' })
  t.equal(await first.save(), true)
  t.equal(await second.save(), true)
  t.match(service.created, [{ fields: { answer: 'X' } }, { fields: { answer: 'Y' } }])
  t.equal(service.created.length, 2)
})

t.test('stops saving when another editor has changed the text', async (t) => {
  const begin = async () => {
    const [service, device] = [new Service(), new Device()]
    const writing = await open(service, device)
    writing.type({ answer: 'meins' })
    service.stored = { version: 2, fields: { question: 'F', answer: 'ihres' } }
    t.equal(await writing.save(), false)
    t.match(writing.view, { state: 'conflict', theirs: { version: 2, fields: { answer: 'ihres' } } })
    t.equal(await writing.save(), false, 'it saves nothing until the author resolves the conflict')
    return { service, device, writing }
  }

  await t.test('resolves a conflict with the own text', async (t) => {
    const { service, writing } = await begin()
    t.equal(await writing.takeMine(), true)
    t.match(service.stored, { version: 3, fields: { answer: 'meins' } })
  })

  await t.test('resolves a conflict with the other text', async (t) => {
    const { service, device, writing } = await begin()
    writing.takeTheirs()
    await pause(1)
    t.match(writing.view, { state: 'same', fields: { answer: 'ihres' } })
    t.strictSame(device.drafts, [])
    t.equal(service.saved, 0)
  })

  await t.test('resolves a conflict by editing both texts', async (t) => {
    const { service, device, writing } = await begin()
    writing.editBoth()
    writing.type({ answer: 'meins und ihres' })
    await pause(3 * KEEP_AFTER_MS)
    t.match(device.drafts, [{ version: 2 }])
    t.equal(await writing.save(), true)
    t.match(service.stored, { version: 3, fields: { answer: 'meins und ihres' } })
  })

  await t.test('reports a conflict after a restart if the text has a newer version', async (t) => {
    const { service, device } = await begin()
    await pause(3 * KEEP_AFTER_MS)
    const returned = await open(service, device)
    t.match(returned.view, { state: 'conflict', fields: { answer: 'meins' }, theirs: { fields: { answer: 'ihres' } } })
    t.equal(await returned.takeMine(), true)
    t.match(service.stored, { version: 3, fields: { answer: 'meins' } })
  })

  await t.test('reports no conflict if the newer text equals the own one', async (t) => {
    const [service, device] = [new Service(), new Device()]
    const writing = await open(service, device)
    writing.type({ answer: 'neu' })
    service.isResponseLost = true
    t.equal(await writing.save(), false)
    service.isResponseLost = false
    t.equal(await writing.save(), true)
    t.match(writing.view, { state: 'saved', base: { version: 2 } })
  })
})
