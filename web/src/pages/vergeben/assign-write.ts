export { default as EditAssignment } from './form/edit-assignment.svelte'
export { default as NewAssignment } from './form/new-assignment.svelte'
