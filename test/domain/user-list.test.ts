import assert from 'node:assert/strict'
import t from 'tap'
import { generatePassword } from '../../src/domain/accounts/passwords.js'
import { readCsvInSteps } from '../../src/domain/accounts/user-csv.js'
import { MAX_USERS, readJsonRows, validateRows } from '../../src/domain/accounts/user-list.js'
import { runSteps } from '../../src/domain/run-steps.js'
import fc, { runs } from '../support/property.js'

const csv = (text: string | Uint8Array) => runSteps(readCsvInSteps(typeof text === 'string' ? Buffer.from(text) : text))
const faultsOf = (text: string | Uint8Array) => {
  const { rows, faults } = csv(text)
  return [...faults, ...validateRows(rows).faults].map(({ line, field, message }) => [line, field, message])
}

t.test('property: reads blocks of records as the whole text', async () => {
  const readWith = (text: string, blockLength: number) => runSteps(readCsvInSteps(Buffer.from(text), true, blockLength))
  // Most of these texts have broken quotes somewhere.
  const line = fc.string({ unit: fc.constantFrom('a', '"', ';', ' ', '""', '"b"', '\n'), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = ['username;name', ...lines].join('\n')
      assert.deepEqual(readWith(text, 0), readWith(text, Number.POSITIVE_INFINITY))
    }),
    { numRuns: runs(1_000) },
  )
})

t.test('property: reads CSV with any separator, quoted or not', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ';', ',', '\t', '\n', ' ', "'", '😀') })
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 })
  const style = fc.record({
    separator: fc.constantFrom(';', ',', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    begin: fc.constantFrom('', '\ufeff'),
  })
  fc.assert(
    fc.property(table, style, (users, { separator, lineEnd, begin }) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""').replaceAll('\n', lineEnd)}"`
      const lines = users.map((cells) => cells.map(quote).join(separator))
      const { rows, faults } = csv(
        begin + [['benutzername', 'Name', 'PASSWORT'].join(separator), ...lines].join(lineEnd),
      )
      const filled = users.filter((cells) => cells.some((text) => text.trim() !== ''))
      assert.deepEqual(
        rows.map(({ username, display_name, password }) => [username, display_name, password]),
        filled,
      )
      if (filled.length > 0) assert.deepEqual(faults, [])
      let line = 2
      const starts = users.map((cells) => {
        const start = line
        line += cells.join('').split('\n').length
        return { start, isFilled: cells.some((text) => text.trim() !== '') }
      })
      assert.deepEqual(
        rows.map((row) => row.line),
        starts.filter(({ isFilled }) => isFilled).map(({ start }) => start),
      )
    }),
    { numRuns: runs(200) },
  )
})

t.test('property: reads or refuses any bytes', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const begin of ['', 'username;name\n', 'username\n"']) {
        const { rows, faults } = csv(Buffer.concat([Buffer.from(begin), bytes]))
        assert.ok(rows.length + faults.length > 0)
        assert.ok([...rows, ...faults].every(({ line }) => Number.isInteger(line) && line >= 1))
      }
    }),
    { numRuns: runs(300) },
  )
})

t.test('headings and flags have several spellings', async (t) => {
  const values = ['ja', 'nein', 'TRUE', 'false', 'WAHR', 'Falsch', '1', '0', '', ' ja ']
  const { rows } = csv(`Anzeigename,Administrator,Benutzername\n${values.map((one, i) => `N,${one},u${i}`).join('\n')}`)
  t.strictSame(
    rows.map(({ is_admin }) => is_admin),
    [true, false, true, false, true, false, true, false, undefined, true],
  )
  t.strictSame(validateRows(rows).users[0], {
    line: 2,
    username: 'u0',
    display_name: 'N',
    is_admin: true,
    is_author: false,
    is_auditor: false,
    auditor_until: null,
    must_change_password: true,
    disabled_on: null,
    email: null,
    personnel_number: null,
    external_id: null,
    teams: [],
    password: undefined,
  })
})

t.test('reads auditors with their last day, which others do not have', async (t) => {
  const { rows } = csv('Benutzername;Prüfer;Prüfer bis\nada;ja;4.12.2026\nbo;ja;\ncem;nein;2026-12-04\n')
  t.match(validateRows(rows).users, [
    { is_auditor: true, auditor_until: '2026-12-04' },
    { is_auditor: true, auditor_until: null },
    { is_auditor: false, auditor_until: null },
  ])
  t.match(validateRows(csv('Benutzername;Prüfer bis\nada;bald\n').rows).faults, [{ line: 2, field: 'auditor_until' }])
})

t.test('reads days as spreadsheets write them', async (t) => {
  const days = ['2026-12-31', '31.12.2026', ' 1.2.2027 ', '']
  const { rows } = csv(`Benutzername;deaktiviert ab\n${days.map((day, i) => `u${i};${day}`).join('\n')}`)
  t.strictSame(
    validateRows(rows).users.map(({ disabled_on }) => disabled_on),
    ['2026-12-31', '2026-12-31', '2027-02-01', null],
  )
  const message = 'Das Feld „disabled_on“ muss ein Tag sein, etwa 2026-12-31'
  t.strictSame(faultsOf('username;disabled_on\nu1;30.2.2027\nu2;1/2/27'), [
    [2, 'disabled_on', message],
    [3, 'disabled_on', message],
  ])
})

t.test('reads addresses, which two users may share', async (t) => {
  const { rows } = csv('Benutzername;E-Mail\nu1; werkstatt@example.org \nu2;werkstatt@example.org\nu3;')
  const list = validateRows(rows)
  t.strictSame(
    list.users.map(({ email }) => email),
    ['werkstatt@example.org', 'werkstatt@example.org', null],
  )
  const message = 'Das Feld „email“ muss eine E-Mail-Adresse sein, etwa erika@example.org'
  t.strictSame(faultsOf('username;email\nu1;erika'), [[2, 'email', message]])
})

t.test('reads personnel numbers', async (t) => {
  for (const heading of ['Personalnummer', 'personnel_number', 'Personal-Nr.', 'Employee ID']) {
    const list = validateRows(csv(`Benutzername;${heading}\nu1; 00417\nu2;\n`).rows)
    t.strictSame(
      list.users.map(({ personnel_number }) => personnel_number),
      ['00417', null],
    )
  }
  t.match(faultsOf(`username;personnel_number\nu1;${'7'.repeat(41)}`), [
    [2, 'personnel_number', /höchstens 40 Zeichen/],
  ])
})

t.test('joins first and family names, and reads several teams', async (t) => {
  const usersOf = (text: string) => {
    const { rows, faults } = csv(text)
    const list = validateRows(rows)
    assert.deepEqual([...faults, ...list.faults], [])
    return list.users.map(({ username, display_name, email, teams }) => [username, display_name, email, teams])
  }
  t.strictSame(
    usersOf(
      [
        'Vorname;Nachname;Benutzername;E-Mail-Adresse;Teams',
        'Erika;Muster;em;em@example.org; Lager | Ersthelfer|Lager|',
        ';Öz;oe;;',
        'Jürgen;;jr;;Lager',
      ].join('\n'),
    ),
    [
      ['em', 'Erika Muster', 'em@example.org', ['Lager', 'Ersthelfer']],
      ['oe', 'Öz', null, []],
      ['jr', 'Jürgen', null, ['Lager']],
    ],
  )
  t.strictSame(usersOf('username,firstname,lastname\nem,Erika,Muster\nx,,'), [
    ['em', 'Erika Muster', null, []],
    ['x', 'x', null, []],
  ])
  t.strictSame(usersOf('Name;Vorname;Login;Team\nMuster;Erika;em;A|B'), [['em', 'Erika Muster', null, ['A|B']]])
  t.strictSame(faultsOf('username;Anzeigename;Nachname;team;teams\nx;y;z;a;b'), [
    [1, 'display_name', 'Entweder ein Name oder Vorname und Nachname, nicht beides'],
    [1, 'team', 'Entweder die Spalte „team“ oder die Spalte „teams“, nicht beide'],
  ])
  const { rows } = readJsonRows({
    users: [
      { username: 'a', teams: ['A', 'B'] },
      { username: 'b', teams: 'A' },
    ],
  })
  const list = validateRows(rows)
  t.strictSame(
    list.users.map(({ teams }) => teams),
    [['A', 'B'], []],
  )
  const message = 'Das Feld „teams“ muss eine Liste von Texten sein'
  t.strictSame(list.faults, [{ line: 2, field: 'teams', code: 'not_a_list', details: null, message }])
})

t.test('reports every fault of a file with its line', async (t) => {
  const long = 'x'.repeat(201)
  const controls = 'Das Feld „username“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'
  t.strictSame(
    faultsOf(
      [
        'username;display_name;is_admin;password',
        'erika;Erika;ja;geheim-genug',
        ';Ohne Namen;;',
        `${long};${long};vielleicht;kurz`,
        'A\u0308nne;x;;',
        '"mehr\nzeilig";x;;',
        'Änne;x;;',
        'zu;wenig',
        'zu;viel;;;',
        'nul\u0001;;;',
        `lang;;;${'x'.repeat(1_001)}`,
      ].join('\n'),
    ).sort((a, b) => Number(a[0]) - Number(b[0])),
    [
      [3, 'username', 'Der Benutzername fehlt'],
      [4, 'username', 'Das Feld „username“ darf höchstens 200 Zeichen haben'],
      [4, 'display_name', 'Das Feld „display_name“ darf höchstens 200 Zeichen haben'],
      [4, 'is_admin', 'Das Feld „is_admin“ muss true oder false (ja oder nein) sein'],
      [4, 'password', 'Passwort muss mindestens 6 Zeichen haben'],
      [6, 'username', controls],
      [8, 'username', 'Der Benutzername steht schon in Zeile 5'],
      [9, null, 'Die Zeile hat 2 statt 4 Felder'],
      [10, null, 'Die Zeile hat 5 statt 4 Felder'],
      [11, 'username', controls],
      [12, 'password', 'Das Feld „password“ darf höchstens 1000 Zeichen haben'],
    ],
  )
  for (const [text, faults] of [
    ['', [[1, null, 'Die Datei ist leer']]],
    ['\n\n', [[1, null, 'Die Datei ist leer']]],
    ['username;name\n', [[1, null, 'Unter den Überschriften stehen keine Benutzer']]],
    ['\nname;password\nx;y\n', [[2, 'username', 'Die Spalte „username“ (Benutzername) fehlt']]],
    [
      'username;rolle;toString\n',
      [
        [1, 'rolle', 'Diese Spalte ist unbekannt'],
        [1, 'toString', 'Diese Spalte ist unbekannt'],
      ],
    ],
    ['username;Benutzername\n', [[1, 'username', 'Die Spalte „Benutzername“ gibt es zweimal']]],
    ['username;\nx;\n', [[1, null, 'Die 2. Spalte hat keine Überschrift']]],
    ['username\na"b\n\n"c"d\n\nx\n"offen\ny\n', [[2, null, 'Die Anführungszeichen passen nicht zusammen']]],
    ['username\nx\0\n', [[2, null, 'NUL-Zeichen sind nicht erlaubt']]],
  ] as const) {
    t.strictSame(faultsOf(text), faults, JSON.stringify(text))
  }
})

t.test('detects Windows-1252, as Excel writes it, where it is unambiguous', async (t) => {
  const ansi = Buffer.from('benutzername;name\r\nj\xf6rg;J\xf6rg Stra\xdfe\r\n', 'latin1')
  t.match(csv(ansi), { rows: [{ username: 'jörg', display_name: 'Jörg Straße' }], faults: { length: 0 } })
  const refused = 'Die Datei ist nicht in UTF-8 kodiert. In Excel hilft: Speichern unter, Dateityp „CSV UTF-8“'
  for (const name of ['j\x9arg', 'j\x94rg', 'J\xc3\xb6rg \xe9', '\xff\xfeu\0', 'a\xd7b', '\xa4']) {
    t.strictSame(faultsOf(Buffer.from(`benutzername\n${name}\n`, 'latin1')), [[2, null, refused]])
  }
})

t.test('applies the same rules to JSON rows', async (t) => {
  const judge = (users: unknown) => {
    const { rows, faults } = readJsonRows({ users })
    const judged = validateRows(rows)
    return { users: judged.users, faults: [...faults, ...judged.faults].map(({ line, field }) => [line, field]) }
  }
  t.strictSame(judge([{ username: ' erika ', display_name: null, password: '', is_admin: null, id: 7 }]).users, [
    {
      line: 1,
      username: 'erika',
      display_name: 'erika',
      is_admin: false,
      is_author: false,
      is_auditor: false,
      auditor_until: null,
      must_change_password: true,
      disabled_on: null,
      email: null,
      personnel_number: null,
      external_id: null,
      teams: [],
      password: undefined,
    },
  ])
  t.strictSame(
    judge([{ username: 5 }, 'x', {}, { username: 'a', is_admin: 1, must_change_password: 'ja', password: [] }]).faults,
    [
      [2, null],
      [1, 'username'],
      [3, 'username'],
      [4, 'is_admin'],
      [4, 'password'],
      [4, 'must_change_password'],
    ],
  )
  t.strictSame(judge([]).faults, [[1, null]])
  t.throws(() => judge(undefined), { message: 'Das Feld „users“ fehlt' })
  t.throws(() => judge({}), { message: 'Das Feld „users“ muss eine Liste sein' })
  const many = Array.from({ length: MAX_USERS + 1 }, (_, i) => ({ username: `u${i}` }))
  t.strictSame(judge(many.slice(1)).faults, [])
  t.match(validateRows(readJsonRows({ users: many }).rows), {
    faults: [{ line: 1_001, message: /^Höchstens 1\.000 Benutzer/ }],
  })
})

t.test('a generated password is easy to type and unique', async (t) => {
  const made = Array.from({ length: 1_000 }, generatePassword)
  t.ok(made.every((password) => /^([b-df-hjkmnp-tv-x2-9]{4}-){3}[b-df-hjkmnp-tv-x2-9]{4}$/.test(password)))
  t.equal(new Set(made).size, made.length)
})
