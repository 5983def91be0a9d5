/** Question types, as options of a select field */
export const FORMS = [
  { value: 'choice', label: 'Auswahl' },
  { value: 'text', label: 'Text eingeben' },
  { value: 'number', label: 'Zahl eingeben' },
  { value: 'order', label: 'In die richtige Reihenfolge bringen' },
  { value: 'gaps', label: 'Lücken füllen' },
] as const
