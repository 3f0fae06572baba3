package delivery

const Listed = listed
