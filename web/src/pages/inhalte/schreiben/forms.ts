/** How a question is answered in a test, for a field to choose from */
export const FORMS = [
  { value: 'choice', label: 'Auswahl' },
  { value: 'text', label: 'Text eingeben' },
  { value: 'number', label: 'Zahl eingeben' },
  { value: 'order', label: 'In die richtige Reihenfolge bringen' },
  { value: 'gaps', label: 'Lücken füllen' },
]
