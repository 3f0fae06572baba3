// A clock of its own thread: browsers let the timers of a page in the background
// wait for a minute, in which the page would go on to look current.
setInterval(() => postMessage("tick"), 1000);
