/** Name of the pages on which assignments are created and overseen */
export const ASSIGNMENT_AREA = 'Aufgaben betreuen'
