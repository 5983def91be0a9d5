import t from 'tap'
import { Refused } from '../../../web/src/api/faults.js'
import { changedIn, savingOf } from '../../../web/src/editor/saving.js'

interface Fields {
  name: string
  text: string
}
interface Item extends Fields {
  id: number
  version: number
}

const storedOf = ({ version, name, text }: Item) => ({ version, fields: { name, text } })
const changesOf = (fields: Fields, item: Item) => changedIn(fields, storedOf(item).fields)

/** A model of the service, with the bodies of the PATCH requests that it has received */
function createService() {
  const items: Item[] = []
  const ids = new Map<string, number>()
  const patches: object[] = []
  const find = (id: number) => {
    const item = items.find((one) => one.id === id)
    if (item === undefined) throw new Error('not found')
    return item
  }
  const add = (fields: Fields) => {
    const item = { ...fields, id: items.length + 1, version: 1 }
    items.push(item)
    return item
  }
  return {
    items,
    patches,
    add,
    create: async (fields: Fields, clientId: string) => {
      const id = ids.get(clientId)
      if (id !== undefined) return find(id)
      const item = add(fields)
      ids.set(clientId, item.id)
      return item
    },
    patch: async ({ id }: Item, { version, ...changes }: Partial<Fields> & { version: number }) => {
      patches.push({ version, ...changes })
      const item = find(id)
      if (item.version !== version) throw new Refused(409, 'version_outdated', {})
      items[id - 1] = { ...item, ...changes, version: version + 1 }
      return find(id)
    },
    load: async ({ id }: Item) => find(id),
  }
}

t.test('saves the changed fields, based on the version of the text', async (t) => {
  const service = createService()
  const saved: Item[] = []
  const object = service.add({ name: 'Git', text: 'a' })
  const saving = savingOf({ ...service, storedOf, changesOf, object, onsaved: (item) => saved.push(item) })
  t.strictSame(saving.stored, { version: 1, fields: { name: 'Git', text: 'a' } })
  t.strictSame(await saving.save({ name: 'Git', text: 'a' }, 1, 'c'), saving.stored)
  t.strictSame(service.patches, [], 'equal fields are not sent')
  t.strictSame(await saving.save({ name: 'Git', text: 'b' }, 1, 'c'), {
    version: 2,
    fields: { name: 'Git', text: 'b' },
  })
  t.strictSame(service.patches, [{ version: 1, text: 'b' }])
  t.equal(saved.length, 2)
})

t.test('sends what differs from the loaded version after a conflict', async (t) => {
  const service = createService()
  const object = service.add({ name: 'Git', text: 'a' })
  const saving = savingOf({ ...service, storedOf, changesOf, object })
  await service.patch(object, { name: 'Other', version: 1 })
  await t.rejects(saving.save({ name: 'Git', text: 'b' }, 1, 'c'), { code: 'version_outdated' })
  t.strictSame(await saving.load(), { version: 2, fields: { name: 'Other', text: 'a' } })
  t.match(await saving.save({ name: 'Git', text: 'b' }, 2, 'c'), { version: 3 })
  t.strictSame(service.items, [{ id: 1, name: 'Git', text: 'b', version: 3 }])
})

t.test('creates once, and corrects what an earlier request has created whose response was lost', async (t) => {
  const service = createService()
  let isLost = true
  const saving = savingOf({
    ...service,
    storedOf,
    changesOf,
    fields: { name: '', text: '' },
    create: async (fields: Fields, clientId: string) => {
      const item = await service.create(fields, clientId)
      if (isLost) throw new Error('network')
      return item
    },
  })
  t.strictSame(await saving.load(), { version: 0, fields: { name: '', text: '' } })
  await t.rejects(saving.save({ name: 'Git', text: 'a' }, 0, 'c'), { message: 'network' })
  isLost = false
  t.match(await saving.save({ name: 'Git', text: 'b' }, 0, 'c'), { version: 2, fields: { text: 'b' } })
  t.match(await saving.save({ name: 'Git', text: 'c' }, 2, 'c'), { version: 3, fields: { text: 'c' } })
  t.strictSame(service.items, [{ id: 1, name: 'Git', text: 'c', version: 3 }])
})

t.test('edits the object that the same client id has created with other fields', async (t) => {
  const service = createService()
  service.add({ name: 'Git', text: 'a' })
  const refuse = (code: string) => async () => {
    throw new Refused(409, code, {}, { details: { id: 1 } })
  }
  const parts = { ...service, storedOf, changesOf, fields: { name: '', text: '' } }
  const loadCreated = ({ id }: Readonly<Record<string, unknown>>) => service.load({ id: Number(id) } as Item)
  const saving = savingOf({ ...parts, create: refuse('client_id_used'), loadCreated })
  t.match(await saving.save({ name: 'Git', text: 'b' }, 0, 'c'), { version: 2, fields: { text: 'b' } })
  const refused = savingOf({ ...parts, create: refuse('name_taken'), loadCreated })
  await t.rejects(refused.save({ name: 'Git', text: 'b' }, 0, 'c'), { code: 'name_taken' })
  t.equal(service.items.length, 1)
})
