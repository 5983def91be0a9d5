/** `npm run simulate` runs learners through the API, `npm run simulate -- fits` fits parameters to synthetic ones. */
await import(process.argv.includes('fits') ? './simulate-fits.js' : './simulate-learners.js')
