// Package modules has Node.js run the modules of the console's page, which the browser
// runs on the page itself.
package modules
